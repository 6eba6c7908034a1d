// Device and Program, which with Kernel and Buffer (launch.h) and Stream and Event (stream.h) are the interface of
// every backend.
//
// A Device compiles programs and makes the other objects. Callers own these objects and destroy them before the device.
// After reset() or the loss of the device the objects are useless: every call on them returns device_lost. A stream
// refuses objects that its device did not make (launch.h). One thread at a time uses a device and all that was made
// from it, unless it is attached to an application's context (attach.h). Every wait has a limit. Implementations are
// cuda/, opencl/ and host/ (in this process) and worker/ (any of them in a process of its own, so that a crash costs
// one configuration).
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
#include "wattune/backend/image.h"
#include "wattune/backend/launch.h"
#include "wattune/backend/sensors.h"
#include "wattune/backend/stream.h"
#include "wattune/core/device_info.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// A macro definition for the compiler: -D name=value.
struct WATTUNE_EXPORT Macro {
  std::string name;
  std::string value;

  auto operator<=>(const Macro&) const = default;
};

// Compiled code.
class WATTUNE_EXPORT Program : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  // Returns the compiler's messages; empty if there are none.
  virtual const std::string& build_log() const = 0;
  // Finds a kernel by name. Fails with not_found, naming the kernels that exist.
  virtual Result<std::unique_ptr<Kernel>> kernel(const std::string& name) = 0;
};

// Returns the error of a device whose streams cannot have compute units of their own.
WATTUNE_EXPORT Error no_unit_ranges(const DeviceInfo& device);

// A device that compiles programs, holds memory and runs streams.
class WATTUNE_EXPORT Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // Compiles and loads a program. Fails with compile_failed (its message is the log), timeout or device_lost.
  virtual Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                                 Nanoseconds limit) = 0;
  // Returns the target for which compile_image() (registry.h) must compile `source`, so that load() takes the result.
  // Fails with unavailable, and a reason, if only build() works for this device. In that case build() reports whatever
  // is missing. Every other Error means that the device itself fails.
  virtual Result<CompileTarget> compile_target(const KernelSource& source) = 0;
  // Loads a program from an image that was compiled with these macros for compile_target(). Drivers compile PTX at
  // loading, perhaps without end, and cannot be interrupted. In this process an exceeded limit is noticed when the
  // driver is done; in a worker the limit ends the worker. Fails with compile_failed, timeout, device_lost or
  // invalid_argument.
  virtual Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro> macros,
                                                Nanoseconds limit) = 0;
  // Creates a buffer, whose contents are undefined. The caller owns it. Fails with errors of the driver, such as a lack
  // of memory.
  virtual Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) = 0;
  // Creates a buffer of pixels. Kernels get an image object (OpenCL) or a texture or surface object (CUDA) in place of
  // the buffer. The buffer is written, read and copied like any buffer, in rows without gaps, and has no guard zones.
  // Fails with unavailable if the device has no images, or if it does not support this layout.
  virtual Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& /*layout*/) {
    return Error(ErrorCode::unavailable, "this device has no images");
  }
  // Creates a stream. Fails with unavailable if streams of this device cannot have compute units of their own, with
  // invalid_argument if a stream cannot have exactly these units.
  virtual Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options = {}) = 0;
  // Returns the granularity of StreamOptions::units. Ranges begin and end at multiples of it, or at the end of the
  // device. Fails with unavailable, and a reason, if streams cannot have compute units of their own.
  virtual Result<unsigned> unit_grain() { return no_unit_ranges(info()); }
  // Finishes several streams of this device, in one request to a worker. Their commands reach the device in the order
  // in which they were given. Returns the sensor samples that were taken during the wait, if `wait` asks for them; an
  // empty list if the device has no sensors. Fails with invalid_argument for a stream of another device; other errors
  // are those of Stream::finish().
  virtual Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait);
  // Returns the sensors of the device, the control of its clocks, or its hardware counters, which the device owns.
  // Fails with unavailable and the reason if it has none.
  virtual Result<Sensors*> sensors() = 0;
  virtual Result<ClockControl*> clock_control() = 0;
  virtual Result<Counters*> counters() = 0;
  // Returns the device to a clean state after a crash, a hang or corrupted memory; all objects made from it are lost.
  // Fails with invalid_argument if the context is an application's.
  virtual Result<void> reset() = 0;
};

}  // namespace wattune::backend
