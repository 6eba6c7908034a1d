// CompilePool: processes that compile kernels ahead of the devices that will run them, for any number of sources.
//
// Each process is a `wattune-worker` that opens no device for launches. If a compiler crashes or exceeds its limit,
// only its current job is lost and its process is started anew. A user registers a source once and announces which
// images it will need next. Sources take turns, but jobs that a caller waits for go first. A pool must outlive its
// sources. Any number of threads may use a pool and its sources; only take() and wait_for_all_but() wait. The announced
// images bound the memory: the pool keeps no other requests or images.
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
#include <string>
#include <utility>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/backend/image.h"
#include "wattune/backend/worker.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1::backend {

// The options of a pool: plain values.
struct WATTUNE_EXPORT CompilePoolOptions {
  std::size_t processes = 1;         // the largest number of processes that compile at once, as for set_processes()
  std::size_t spare_processors = 0;  // processors left to other programs; one process always remains
  // The options of each process. Its niceness also holds for programs that the process starts.
  WorkerOptions worker;
  // One more process, without niceness, compiles the jobs that a caller waits for. On a busy machine processes with
  // niceness may wait for the processor for long.
  bool prompt = false;
  std::shared_ptr<ImageCache> cache = {};  // nullptr if everything is compiled
};

// The result of compiling one image.
struct WATTUNE_EXPORT Compiled {
  // The image, or compile_failed with the log, timeout, device_lost (the compiler crashed) or unavailable.
  Result<Image> image;
  Nanoseconds took;  // time to compile in the process, or to find the image in the cache
  bool cached = false;
};

// The inputs in which an image differs from the other images of its source.
struct WATTUNE_EXPORT ImageRequest {
  // Makes a request from macros alone, because most sources have only one text.
  ImageRequest(std::vector<Macro> its_macros, std::string its_text = {})
      : macros(std::move(its_macros)), text(std::move(its_text)) {}

  std::vector<Macro> macros;
  std::string text;  // is compiled in place of KernelSource::text, unless it is empty

  auto operator<=>(const ImageRequest&) const = default;
};

// The work of a pool for one source.
struct WATTUNE_EXPORT CompileActivity {
  std::size_t processes = 0;  // processes of the pool, which all sources share
  std::size_t waiting = 0;    // requests that no process has begun
  std::size_t running = 0;
  std::size_t ready = 0;  // images that wait to be taken
  std::uint64_t compiled = 0;
  std::uint64_t cache_hits = 0;
  Nanoseconds busy;    // compile time, summed over the processes
  Nanoseconds waited;  // time that callers spent in take(), summed
};

// A source that a pool compiles as long as this object exists. All users of one object share its announcements.
class WATTUNE_EXPORT PooledSource {
 public:
  PooledSource(PooledSource&&) noexcept;
  PooledSource& operator=(PooledSource&&) noexcept;
  // Drops requests that wait and images that are ready. A job that runs is finished first, then dropped.
  ~PooledSource();

  // Announces the images that will probably be taken, the next one first; each may compile for `limit`. The first
  // `urgent` images come before all other announcements and may use the process of CompilePoolOptions::prompt. An image
  // is urgent if its user has nothing to run without it, though no thread waits for it.
  //
  // Replaces the previous announcement: jobs that are no longer in it are dropped, running ones when they end. An image
  // that was taken and is still announced is not compiled again until renew().
  void expect(const std::vector<ImageRequest>& wanted, Nanoseconds limit, std::size_t urgent = 0);
  // Compiles an announced image again after it was taken, because another user of this object needs it too. Changes
  // nothing if the image is not announced, or is still there or under way.
  void renew(const ImageRequest& wanted);
  // Waits for the image and returns it. If no process has begun to compile the image, or if it was taken before, its
  // job goes before all others.
  Compiled take(const ImageRequest& wanted, Nanoseconds limit);
  // Returns the image if it is ready; nullopt otherwise, and then no job is started.
  std::optional<Compiled> try_take(const ImageRequest& wanted);
  // Returns a copy of the image that try_take() would return and leaves it there, so that a user can compare several.
  std::optional<Compiled> look_at(const ImageRequest& wanted) const;
  // Waits until at most `unfinished` announced images are still to be compiled, or until `limit` has passed.
  void wait_for_all_but(std::size_t unfinished, Nanoseconds limit) const;
  // Tells whether try_take() would return an image.
  bool is_ready(const ImageRequest& wanted) const;
  CompileActivity activity() const;

 private:
  friend class CompilePool;
  class Queue;   // the queue of a pool
  struct Entry;  // this source in the queue

  PooledSource(Queue& queue, std::shared_ptr<Entry> entry);

  Queue* queue_;
  std::shared_ptr<Entry> entry_;  // nullptr once this object was moved from
};

// A pool of compile processes.
class WATTUNE_EXPORT CompilePool {
 public:
  // Starts processes when there is something to compile.
  explicit CompilePool(const CompilePoolOptions& options);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  // Ends the processes at once, whatever they compile.
  ~CompilePool();

  // Registers a source that is compiled for this target. The pool drops the source when the returned object is
  // destroyed.
  PooledSource add(CompileTarget target, KernelSource source);
  // Starts the processes and makes each of them load its compiler, by letting it compile the source `nothing` without
  // asking the cache. Returns at once. The jobs end when the returned object is destroyed.
  PooledSource warm_up(CompileTarget target, KernelSource nothing, Nanoseconds limit);
  // Sets how many processes may compile at once from now on; an application that needs its processors sets fewer.
  // Processes above that number finish their current job and end. With 0 only jobs that a caller waits for or that were
  // announced as urgent are compiled.
  void set_processes(std::size_t most);

 private:
  std::unique_ptr<PooledSource::Queue> queue_;
};

}  // namespace wattune::backend
