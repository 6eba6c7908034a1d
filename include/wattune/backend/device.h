// Device, Program, Kernel, Buffer, Stream, Event: what every backend offers.
//
// A Device compiles programs and makes the other objects. Callers own them and destroy them before it; they are
// useless (every call returns device_lost) after reset() or after the device itself was lost. A stream refuses objects
// that its device did not make (device_object.h). One thread uses a device, and all that was made from it, at a time,
// unless it is attached to an application's (attach.h). Every wait has a limit. Implementations: cuda/, opencl/ and
// host/ (in this process) and worker/ (any of them in a process of its own, so that a crash costs one configuration).
//
//   auto program = device->build(source, macros, limit);
//   auto kernel = (*program)->kernel("add");
//   stream->launch(**kernel, {.groups = {64, 1, 1}, .group_size = {256, 1, 1}}, arguments);
//   stream->finish(limit);
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/backend/counters.h"
#include "wattune/backend/device_object.h"
#include "wattune/backend/image.h"
#include "wattune/backend/pixel_layout.h"
#include "wattune/backend/sensors.h"
#include "wattune/core/device_info.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// A macro definition for the compiler: -D name=value.
struct Macro {
  std::string name;
  std::string value;

  auto operator<=>(const Macro&) const = default;
};

struct Geometry3 {
  std::array<std::size_t, 3> groups{1, 1, 1};      // OpenCL: work-groups; CUDA: grid
  std::array<std::size_t, 3> group_size{1, 1, 1};  // OpenCL: local size; CUDA: block
  std::array<std::size_t, 3> cluster{1, 1, 1};     // CUDA: blocks of a thread block cluster
  bool cooperative = false;                        // CUDA: all blocks run at once or the launch fails

  bool operator==(const Geometry3&) const = default;
};

// Device memory, freed with this object. Guard zones before and after it hold a fixed pattern, so that writes out of
// bounds show.
class Buffer : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  virtual std::size_t bytes() const = 0;
  // Made by Device::create_pixel_buffer().
  virtual bool has_pixels() const { return false; }
};

// The i-th argument of a launch, in the kernel's order: a buffer (nullptr: a null pointer), a sampler (no parameter of
// a CUDA kernel), or one of these.
struct ScalarBytes {
  std::vector<std::byte> bytes;
};
struct LocalBytes {
  std::size_t bytes = 0;
};
// Copied before the launch into the __constant__ symbol of this name (CUDA).
struct ConstantBuffer {
  std::string symbol;
  const Buffer* buffer = nullptr;
};
using LaunchArgument = std::variant<const Buffer*, ScalarBytes, LocalBytes, ConstantBuffer, Sampling>;

// A function of a program; it keeps the code that it needs, so the program may go first.
class Kernel : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  virtual const std::string& name() const = 0;
  // How many parameters the compiled kernel takes.
  virtual std::size_t argument_count() const = 0;
  // They themselves, in order; empty where the backend knows nothing of them.
  virtual std::span<const KernelParameter> parameters() const { return {}; }
  // The largest work-group this kernel may be launched with on its device.
  virtual std::size_t max_work_group_size() const = 0;
  // What it takes when launched with work-groups of this size and this much local memory in its arguments. A backend
  // leaves out what it cannot tell.
  virtual Result<KernelResources> resources(std::size_t /*group_size*/, std::size_t /*local_bytes*/) const {
    return KernelResources{};
  }
};

// Compiled code.
class Program : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // The compiler's words, empty when it had none.
  virtual const std::string& build_log() const = 0;
  // not_found (naming the kernels that exist).
  virtual Result<std::unique_ptr<Kernel>> kernel(const std::string& name) = 0;
};

// A point in a stream. Its duration is known once the stream has finished.
class Event : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // How long the launch ran on the device, without queueing and launch latency.
  virtual Result<Nanoseconds> duration() const = 0;
  // What the device was like about then: read once in each finish() of the stream, while the device works.
  virtual Conditions conditions() const { return {}; }
};

// A launch that was checked and laid out once, to be sent again and again: how an application runs a tuned kernel.
// Its stream and what it was prepared with outlive it.
class PreparedLaunch {
 public:
  virtual ~PreparedLaunch() = default;
  // Sends it behind what the stream was given before, untimed; buffers are read as they are by then. As launch().
  virtual Result<void> send() = 0;
};

// Commands run in order. They may be held back until finish(), so errors of any of them may surface there, and the
// buffers, kernels and host memory they use must live until then.
class Stream {
 public:
  virtual ~Stream() = default;
  // Precondition: the sizes of data and buffers match.
  virtual Result<void> write(Buffer& buffer, std::span<const std::byte> data) = 0;
  virtual Result<void> read(const Buffer& buffer, std::span<std::byte> data) = 0;
  virtual Result<void> copy(const Buffer& from, Buffer& to) = 0;
  // Sets every byte to `value`; guard zones keep their pattern.
  virtual Result<void> fill(Buffer& buffer, std::byte value) = 0;
  virtual Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                                std::span<const LaunchArgument> arguments) = 0;
  // For launches that are not timed. CUDA, in this process: sending it costs little more than the driver's own call.
  virtual Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                          std::span<const LaunchArgument> arguments);
  // In the next finish(), launches may take so much longer before they begin, all together: some drivers (PoCL's)
  // compile a kernel at its first launch. Devices that compile everything before ignore it.
  virtual void allow_compiling(Nanoseconds /*limit*/) {}
  // Waits for all commands. launch_failed (the device works on); timeout and device_lost (it needs reset()).
  virtual Result<void> finish(Nanoseconds limit) = 0;
  // Finishes, then compares the guard zones of `buffer` with their pattern and renews them.
  // Returns how many guard bytes changed, before and after the buffer.
  virtual Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // compile_failed (message: the log), timeout, device_lost.
  virtual Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                                 Nanoseconds limit) = 0;
  // For whom compile_image() (registry.h) is to compile `source`, so that load() takes the result. unavailable: why
  // only build() will do, which then says what is missing, if anything is; all other Errors are of the device.
  virtual Result<CompileTarget> compile_target(const KernelSource& source) = 0;
  // A program from an image that was compiled with these macros for compile_target(). Drivers compile PTX once more,
  // without end perhaps, and cannot be stopped in that: within this process a limit that passed is noticed when the
  // driver is done, in a worker the limit ends the worker. compile_failed, timeout, device_lost; invalid_argument.
  virtual Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro> macros,
                                                Nanoseconds limit) = 0;
  virtual Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) = 0;
  // For pixels: kernels get an image object (OpenCL), or a texture or surface object (CUDA), in its place. It is
  // written, read and copied as any buffer, in rows without gaps, and has no guard zones. unavailable where the device
  // has no images or not these.
  virtual Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& /*layout*/) {
    return Error(ErrorCode::unavailable, "this device has no images");
  }
  virtual Result<std::unique_ptr<Stream>> create_stream() = 0;
  // Abilities, which the device owns. unavailable, saying why it has none.
  virtual Result<Sensors*> sensors() = 0;
  virtual Result<ClockControl*> clock_control() = 0;
  virtual Result<Counters*> counters() = 0;
  // Back to a clean state after a crash, a hang or corrupted memory; everything made from the device is lost.
  // invalid_argument: the context is an application's.
  virtual Result<void> reset() = 0;
};

}  // namespace wattune::backend
