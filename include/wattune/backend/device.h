// Device and Program: with Kernel and Buffer (launch.h), Stream and Event (stream.h), what every backend offers.
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

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/backend/counters.h"
#include "wattune/backend/device_object.h"
#include "wattune/backend/image.h"
#include "wattune/backend/launch.h"
#include "wattune/backend/pixel_layout.h"
#include "wattune/backend/sensors.h"
#include "wattune/backend/stream.h"
#include "wattune/core/device_info.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// A macro definition for the compiler: -D name=value.
struct Macro {
  std::string name;
  std::string value;

  auto operator<=>(const Macro&) const = default;
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

// The error of a device whose streams cannot have units of their own.
Error no_unit_ranges(const DeviceInfo& device);

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
  // unavailable: streams of this device cannot have units of their own; invalid_argument: not these.
  virtual Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options = {}) = 0;
  // Where StreamOptions::units may begin and end: at multiples of so many units, and at the end of the device.
  // unavailable: why streams cannot have units of their own.
  virtual Result<unsigned> unit_grain() { return no_unit_ranges(info()); }
  // Stream::finish() of several streams of this device, in one request to a worker. What they were given reaches the
  // device in the order in which it was given. Returns what the sensors showed meanwhile, if that was asked for; a
  // device without sensors shows nothing. invalid_argument (a stream of another device); else as Stream::finish().
  virtual Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait);
  // Abilities, which the device owns. unavailable, saying why it has none.
  virtual Result<Sensors*> sensors() = 0;
  virtual Result<ClockControl*> clock_control() = 0;
  virtual Result<Counters*> counters() = 0;
  // Back to a clean state after a crash, a hang or corrupted memory; everything made from the device is lost.
  // invalid_argument: the context is an application's.
  virtual Result<void> reset() = 0;
};

}  // namespace wattune::backend
