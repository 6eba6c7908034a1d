// The parts of a launch: Kernel, Buffer, Geometry3 and LaunchArgument. Kernels and buffers are DeviceObjects, which
// know the DeviceLife that made them. PixelLayout describes a buffer that kernels see as an image.
//
// A Device (device.h) makes kernels and buffers, and the caller owns them. They must live until the stream that uses
// them has finished. Threads use them as device.h says.
//
//   const std::vector<LaunchArgument> arguments{buffer.get(), ScalarBytes{bytes}};
//   stream->launch(*kernel, {.groups = {64, 1, 1}, .group_size = {256, 1, 1}}, arguments);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "wattune/backend/image.h"
#include "wattune/core/device_info.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// One life of a device: from its opening or last reset() until it is reset, lost or destroyed.
class WATTUNE_EXPORT DeviceLife {
 public:
  virtual ~DeviceLife() = default;
  virtual const DeviceInfo& info() const = 0;
};

// An object that a device made. It works only with that device, and only during the life of the device in which it was
// made. Streams detect and refuse objects of other devices, of other backends and of the time before a reset(). An
// object keeps the DeviceLife that made it alive. So no new life gets the address of an old one while an object of the
// old life is left.
class WATTUNE_EXPORT DeviceObject {
 public:
  // Makes an object without an owner, for devices that do not check owners, such as those of tests.
  DeviceObject() = default;
  explicit DeviceObject(const DeviceLife& life) : life_(&life) {}
  virtual ~DeviceObject() = default;

  const DeviceLife* life() const { return life_; }

 private:
  const DeviceLife* life_ = nullptr;
};

// The layout of pixels in device memory that kernels see as an image or a texture. All sizes are known.
struct WATTUNE_EXPORT PixelLayout {
  ImageType type = ImageType::image2d;
  std::array<std::size_t, 3> sizes{1, 1, 1};  // width, height and depth in pixels
  ElementType channel = ElementType::float32;
  unsigned channels = 4;
  ChannelOrder order = ChannelOrder::rgba;
  bool normalized_channels = false;
  bool written = false;  // true if kernels write it
  Sampling sampling;

  bool operator==(const PixelLayout&) const = default;
};

// Returns the bytes of one pixel. Pixels lie one after another in rows, as on the host.
inline std::size_t pixel_bytes(const PixelLayout& layout) { return size_in_bytes(layout.channel) * layout.channels; }
// Returns the bytes of all pixels.
inline std::size_t bytes_of(const PixelLayout& layout) {
  return layout.sizes[0] * layout.sizes[1] * layout.sizes[2] * pixel_bytes(layout);
}

// The grid of a launch along three axes.
struct WATTUNE_EXPORT Geometry3 {
  std::array<std::size_t, 3> groups{1, 1, 1};      // OpenCL: work-groups; CUDA: grid
  std::array<std::size_t, 3> group_size{1, 1, 1};  // OpenCL: local size; CUDA: block
  std::array<std::size_t, 3> cluster{1, 1, 1};     // CUDA: blocks of a thread block cluster
  bool cooperative = false;                        // CUDA: all blocks run at once or the launch fails
  // OpenCL: the first of the `groups`; global ids begin there too. CUDA refuses any but group 0.
  std::array<std::size_t, 3> first_group{0, 0, 0};

  bool operator==(const Geometry3&) const = default;
};

// Device memory, freed with this object. Guard zones before and after it hold a fixed pattern, so that writes out of
// bounds show.
class WATTUNE_EXPORT Buffer : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  virtual std::size_t bytes() const = 0;
  // Returns a CUdeviceptr or a cl_mem, in the form that PreparedLaunch::set_memory() takes; 0 for pixels, and for
  // memory of a device in another process.
  virtual std::uint64_t memory() const { return 0; }
  // Tells whether Device::create_pixel_buffer() made this buffer.
  virtual bool has_pixels() const { return false; }
};

// A scalar or a struct that is passed by value.
struct WATTUNE_EXPORT ScalarBytes {
  std::vector<std::byte> bytes;
};
// Local memory (CUDA: dynamic shared memory) of each work-group.
struct WATTUNE_EXPORT LocalBytes {
  std::size_t bytes = 0;
};
// A buffer that is copied before the launch into the __constant__ symbol of this name (CUDA).
struct WATTUNE_EXPORT ConstantBuffer {
  std::string symbol;
  const Buffer* buffer = nullptr;
};
// One argument of a launch, in the kernel's order: a buffer (nullptr for a null pointer), a sampler (no parameter of a
// CUDA kernel), or one of the structs above.
using LaunchArgument = std::variant<const Buffer*, ScalarBytes, LocalBytes, ConstantBuffer, Sampling>;

// A function of a program. It keeps the code that it needs, so the program may be destroyed first.
class WATTUNE_EXPORT Kernel : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  virtual const std::string& name() const = 0;
  // Returns how many parameters the compiled kernel takes.
  virtual std::size_t argument_count() const = 0;
  // Returns the kernel's parameters in order; empty if the backend does not know them.
  virtual std::span<const KernelParameter> parameters() const { return {}; }
  // Returns the largest number of work-items per work-group with which the kernel may be launched on its device.
  virtual std::size_t max_work_group_size() const = 0;
  // Returns the resources of a launch with work-groups of this size and this many bytes of local memory in its
  // arguments. Resources that the backend does not know stay empty.
  virtual Result<KernelResources> resources(std::size_t /*group_size*/, std::size_t /*local_bytes*/) const {
    return KernelResources{};
  }
  // Requests at least this much shared memory per multiprocessor while the kernel runs (CUDA divides one memory between
  // caches and shared memory). Kernels that shall run side by side need the same division, or they wait for each other.
  // A repeated request costs nothing. On other backends the call does nothing.
  virtual Result<void> prefer_local_memory(std::uint64_t /*bytes_per_unit*/) { return {}; }
};

}  // namespace wattune::backend
