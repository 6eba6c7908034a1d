// dynamic::Tuner: tunes the kernels of one device while the application runs them (paper 001, 3.2 and 5).
//
// It owns the processes that compile, a thread that loads code into gaps of the device's work, the process in which
// configurations are screened, and what is known. The device outlives it; it outlives its kernels. Any thread may call.
// After a fork the child's calls fail and harm nothing.
//
//   WATTUNE_ASSIGN(const auto device, backend::attach_cuda());   // OpenCL: attach_opencl(context, device)
//   WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(*device, {.wisdom = "app.wisdom"}));
//   WATTUNE_ASSIGN(const auto scale, tuner->kernel(spec));
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/backend/image_cache.h"
#include "wattune/backend/worker.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/composition.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::dynamic {

struct TunerOptions {
  Budget budget;                                     // of all kernels together
  std::filesystem::path wisdom = {};                 // read and written; empty: nothing is kept
  std::vector<std::filesystem::path> known = {};     // further wisdom, such as what ships with the application; read
  std::size_t compile_processes = 2;                 // 0: the calling thread compiles, which blocks calls
  std::size_t spare_processors = 1;                  // that compilers leave to the application
  backend::WorkerOptions worker = {.niceness = 19};  // of compilers and of the screening process
  std::shared_ptr<backend::ImageCache> cache = {};   // nullptr: one in memory, of the last 256
  Nanoseconds compile_limit = nanoseconds_from_seconds(120);
  // Which device screens: the attached one in a process of its own, by this selector ("cuda:0"); empty: found by its
  // place on the bus, or the same device by name.
  std::string screening_device = {};
  // What happens, one line each, for people; called from the tuner's threads; may be empty.
  std::function<void(const std::string& line)> note = {};
};

class Tuner {
 public:
  // Wisdom that cannot be read is noted and left alone.
  static Result<std::unique_ptr<Tuner>> attach(backend::Device& device, const TunerOptions& options = {});
  virtual ~Tuner() = default;

  // The spec names source, arguments, sizes, launch and parameters, as a file for `wattune tune` does; its sizes and
  // fills are those of screening. Errors of the spec; mismatch: no source in the device's language.
  virtual Result<std::unique_ptr<TunableKernel>> kernel(KernelSpec spec, const KernelOptions& options = {}) = 0;
  // Several kernels and host code as one unit (composition.h).
  virtual Result<std::unique_ptr<TunableComposition>> composition(CompositionSpec spec,
                                                                  const KernelOptions& options = {}) = 0;
  // The device has nothing to do, and will not for about so long: code that waits is loaded, in this call. A call of
  // the application that waits for the device is a good place. Returns what it took.
  virtual Nanoseconds gap(Nanoseconds expected = nanoseconds_from_ms(1.0)) = 0;
  // The application destroys a stream, into which no thread calls any more: what is kept of it goes, also the memory
  // and the streams that compositions have for it. Another stream that gets its handle is a new one. unavailable: the
  // process was forked.
  virtual Result<void> forget(const CallStream& stream) = 0;
  // Of all kernels, those that come too.
  virtual void set_mode(Mode mode) = 0;
  // Writes wisdom; so does the destructor. io_error: nothing that is known is lost.
  virtual Result<void> save() = 0;
  virtual Report report() const = 0;
};

}  // namespace wattune::dynamic
