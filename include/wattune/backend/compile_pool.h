// CompilePool: processes that compile ahead of the devices that will run it, for any number of sources.
//
// Each process is a `wattune-worker` that was never asked to open a device for launches. A compiler that crashes or
// passes its limit costs what it compiled, and its process is started anew. Who compiles registers a source, once, and
// says of it what will be wanted next; sources take turns, and what somebody waits for goes first. A pool outlives its
// sources. Any number of threads may use both; they do not wait except in take(). Memory is bounded by what is
// expected: of anything else neither requests nor images are kept.
//
//   CompilePool pool({.processes = 16});
//   WATTUNE_ASSIGN(CompileTarget target, device->compile_target(source));
//   PooledSource pooled = pool.add(std::move(target), source);
//   pooled.expect({macros_of_the_next, macros_of_the_one_after}, limit);
//   WATTUNE_ASSIGN(const Image image, pooled.take(macros_of_the_next, limit).image);
//   WATTUNE_ASSIGN(const auto program, device->load(image, macros_of_the_next, limit));
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "wattune/backend/image_cache.h"
#include "wattune/backend/worker.h"

namespace wattune::backend {

struct CompilePoolOptions {
  std::size_t processes = 1;         // as set_processes()
  std::size_t spare_processors = 0;  // are left to others: there are never more processes than this leaves, but one
  WorkerOptions worker;              // its niceness is theirs, and of all programs that they start
  // What somebody waits for is compiled by a process more, which is not nice: nice ones may wait for long on a machine
  // that has much to do.
  bool prompt = false;
  std::shared_ptr<ImageCache> cache = {};  // nullptr: everything is compiled
};

struct Compiled {
  // compile_failed with the log, timeout, device_lost (the compiler crashed), unavailable.
  Result<Image> image;
  Nanoseconds took;  // to compile in its process, or to find in the cache
  bool cached = false;
};

// What a pool does and did for one source.
struct CompileActivity {
  std::size_t processes = 0;  // of the pool, for all sources
  std::size_t waiting = 0;    // requests that no process has begun
  std::size_t running = 0;
  std::size_t ready = 0;  // images that wait to be taken
  std::uint64_t compiled = 0;
  std::uint64_t cache_hits = 0;
  Nanoseconds busy;    // that processes spent compiling, all together
  Nanoseconds waited;  // that take() made its callers wait, all together
};

// A source that a pool compiles, for as long as this exists. Users of one share what they expect.
class PooledSource {
 public:
  PooledSource(PooledSource&&) noexcept;
  PooledSource& operator=(PooledSource&&) noexcept;
  // Drops what waits and what is ready. What compiles is finished first, and then dropped.
  ~PooledSource();

  // What will probably be taken, the next first, each within `limit` of compiling. The first `urgent` go before what
  // any source expects else, and to the process that CompilePoolOptions::prompt gives: somebody has nothing to run
  // until then, though no thread waits. What was expected before and no longer is, is dropped; what compiles already is
  // finished and then dropped. What was taken and is still expected is not compiled again.
  void expect(const std::vector<std::vector<Macro>>& macros, Nanoseconds limit, std::size_t urgent = 0);
  // The image: waits for it, and puts it before all others when nobody has begun it, or when it was taken before.
  Compiled take(const std::vector<Macro>& macros, Nanoseconds limit);
  // The same if it need not wait; nothing otherwise, and nothing is begun for it.
  std::optional<Compiled> try_take(const std::vector<Macro>& macros);
  // What try_take() would give, which it leaves there: whoever chooses between several looks at all of them.
  std::optional<Compiled> look_at(const std::vector<Macro>& macros) const;
  // Waits until at most so many of what is expected are still to be compiled, or for so long.
  void wait_for_all_but(std::size_t unfinished, Nanoseconds limit) const;
  // Whether try_take() would give something.
  bool is_ready(const std::vector<Macro>& macros) const;
  CompileActivity activity() const;

 private:
  friend class CompilePool;
  class Queue;   // of a pool
  struct Entry;  // of this source in it

  PooledSource(Queue& queue, std::shared_ptr<Entry> entry);

  Queue* queue_;
  std::shared_ptr<Entry> entry_;  // nullptr once it was moved from
};

class CompilePool {
 public:
  // Starts processes when there is something to compile.
  explicit CompilePool(const CompilePoolOptions& options);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  // Ends the processes, whatever they compile.
  ~CompilePool();

  PooledSource add(CompileTarget target, KernelSource source);
  // Starts its processes, which load the compiler meanwhile, by having them compile a source that does nothing, which
  // no cache answers. Does not wait; ends with what it returns.
  PooledSource warm_up(CompileTarget target, KernelSource nothing, Nanoseconds limit);
  // How many may compile at once, from now on: when an application needs its processors, fewer. Those beyond end once
  // they have finished what they compile. 0: only what somebody waits for, or expects urgently, is compiled.
  void set_processes(std::size_t most);

 private:
  std::unique_ptr<PooledSource::Queue> queue_;
};

}  // namespace wattune::backend
