// dynamic::Tuner: tunes the kernels of one device while the application runs them (Petrovic et al. 2020, 3.2 and 5). A
// Marker sets marks in streams, with which an application waits for one call instead of for all work of its stream.
//
// A tuner owns the compile processes, a thread that loads code in gaps of the device's work, the screening process, and
// the wisdom. The device must outlive the tuner, and the tuner must outlive its kernels. Any thread may call the
// functions. In a forked child process, calls fail and do no harm.
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
#include "wattune/backend/image.h"
#include "wattune/backend/worker.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/composition.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::inline v0_1::dynamic {

struct WATTUNE_EXPORT TunerOptions {
  Budget budget;                                     // limits for all kernels together
  std::filesystem::path wisdom = {};                 // file that is read and written; if empty, nothing is kept
  std::vector<std::filesystem::path> known = {};     // further wisdom, such as files of the application; only read
  std::size_t compile_processes = 2;                 // compile processes; with 0 the calling thread compiles, and waits
  std::size_t spare_processors = 1;                  // processors that compilers leave to the application
  backend::WorkerOptions worker = {.niceness = 19};  // options of compile processes and of the screening process
  std::shared_ptr<backend::ImageCache> cache = {};   // nullptr for a cache in memory that holds 256 images
  Nanoseconds compile_limit = nanoseconds_from_seconds(120);
  // Selector by which the separate process for screening opens the attached device ("cuda:0"). If it is empty, the
  // process finds the device by its place on the PCI bus, or else by its name.
  std::string screening_device = {};
  // Function that gets messages about what happens, one line for people each time. It is called from the tuner's
  // threads. The function may be empty.
  std::function<void(const std::string& line)> note = {};
};

class WATTUNE_EXPORT Tuner {
 public:
  // Makes a tuner for the device. Wisdom that cannot be read is no error: it is noted and left unchanged.
  static Result<std::unique_ptr<Tuner>> attach(backend::Device& device, const TunerOptions& options = {});
  virtual ~Tuner() = default;

  // Makes a tunable kernel of a spec. The spec gives source, arguments, sizes, launch and parameters, like a file for
  // `wattune tune`. Screening uses the spec's sizes and fills. Fails with the errors of the spec, and with mismatch if
  // there is no source in the device's language.
  virtual Result<std::unique_ptr<TunableKernel>> kernel(KernelSpec spec, const KernelOptions& options = {}) = 0;
  // Makes one unit of several kernels and host code (composition.h). Fails as kernel() does, and with invalid_argument
  // if the composition contradicts itself.
  virtual Result<std::unique_ptr<TunableComposition>> composition(CompositionSpec spec,
                                                                  const KernelOptions& options = {}) = 0;
  // Loads waiting code in this call. The application calls it when the device has nothing to do for about `expected`,
  // for example where it waits for the device anyway. Returns the time that loading took.
  virtual Nanoseconds gap(Nanoseconds expected = nanoseconds_from_ms(1.0)) = 0;
  // Frees what is kept for a stream that the application is about to destroy, including the memory and streams that
  // compositions have for it. From then on, no thread may make calls in the stream. A later stream with the same handle
  // counts as new. Fails with unavailable if the process was forked.
  virtual Result<void> forget(const CallStream& stream) = 0;
  // Sets the mode of all kernels, including later ones.
  virtual void set_mode(Mode mode) = 0;
  // Writes the wisdom file, as the destructor does. If it fails with io_error, everything known is kept.
  virtual Result<void> save() = 0;
  virtual Report report() const = 0;
};

// A maker of marks in streams. A mark is the launch of an empty kernel. The device must outlive the marker, and the
// marker must outlive its marks. Only one thread at a time may use a stream (backend/stream.h).
class WATTUNE_EXPORT Marker {
 public:
  // Compiles a kernel of one line; `limit` bounds the compilation. Fails as Device::build() does.
  static Result<std::unique_ptr<Marker>> make(backend::Device& device,
                                              Nanoseconds limit = nanoseconds_from_seconds(120));
  // Sets a mark behind all that the stream was given. Fails as Stream::launch() does.
  Result<std::unique_ptr<backend::Event>> mark(backend::Stream& stream) const;

 private:
  explicit Marker(std::unique_ptr<backend::Kernel> kernel) : kernel_(std::move(kernel)) {}

  std::unique_ptr<backend::Kernel> kernel_;
};

// Waits until the device has reached the mark. It sleeps between two calls of Event::ready(). Fails with timeout after
// `limit`, and with the errors of Event::ready().
WATTUNE_EXPORT Result<void> wait(const backend::Event& mark, Nanoseconds limit);

}  // namespace wattune::dynamic
