// CompilePool: processes that compile one source with different macros ahead of the device that will run them.
//
// Each process is a `wattune-worker` without a device. A compiler that crashes or passes its limit costs what it
// compiled, and its process is started anew. Any number of threads may use a pool; they do not wait except in take().
// Memory is bounded by what is expected: of anything else neither requests nor images are kept.
//
//   WATTUNE_ASSIGN(const auto target, device->compile_target(source));
//   CompilePool pool(*target, source, {.processes = 16});
//   pool.expect({macros_of_the_next, macros_of_the_one_after}, limit);
//   WATTUNE_ASSIGN(const Image image, pool.take(macros_of_the_next, limit).image);
//   WATTUNE_ASSIGN(const auto program, device->load(image, macros_of_the_next, limit));
#pragma once

#include <memory>
#include <vector>

#include "wattune/backend/image_cache.h"
#include "wattune/backend/worker.h"

namespace wattune::backend {

struct CompilePoolOptions {
  std::size_t processes = 1;  // at least 1
  WorkerOptions worker;
  std::shared_ptr<ImageCache> cache;  // nullptr: everything is compiled
};

struct Compiled {
  // compile_failed with the log, timeout, device_lost (the compiler crashed), unavailable.
  Result<Image> image;
  Nanoseconds took;  // to compile in its process, or to find in the cache
  bool cached = false;
};

// What a pool does and did.
struct CompileActivity {
  std::size_t processes = 0;
  std::size_t waiting = 0;  // requests that no process has begun
  std::size_t running = 0;
  std::size_t ready = 0;  // images that wait to be taken
  std::uint64_t compiled = 0;
  std::uint64_t cache_hits = 0;
  Nanoseconds busy;    // that processes spent compiling, all together
  Nanoseconds waited;  // that take() made its callers wait, all together
};

class CompilePool {
 public:
  // Starts processes when there is something to compile.
  CompilePool(CompileTarget target, KernelSource source, const CompilePoolOptions& options);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  // Ends the processes, whatever they compile.
  ~CompilePool();

  // What will probably be taken, the next first, each within `limit` of compiling. What was expected before and no
  // longer is, is dropped; what compiles already is finished and then dropped. What was taken and is still expected is
  // not compiled again.
  void expect(const std::vector<std::vector<Macro>>& macros, Nanoseconds limit);
  // The image: waits for it, and puts it before all others when nobody has begun it, or when it was taken before.
  Compiled take(const std::vector<Macro>& macros, Nanoseconds limit);
  CompileActivity activity() const;

 private:
  class Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace wattune::backend
