// Kernel, Buffer, Geometry3, LaunchArgument: what a launch is made of.
//
// Kernels and buffers are made by a Device (device.h) and belong to the caller. They must live until the stream that
// uses them has finished. Threads use them as device.h says.
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

#include "wattune/backend/device_object.h"
#include "wattune/backend/image.h"
#include "wattune/backend/pixel_layout.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::backend {

struct Geometry3 {
  std::array<std::size_t, 3> groups{1, 1, 1};      // OpenCL: work-groups; CUDA: grid
  std::array<std::size_t, 3> group_size{1, 1, 1};  // OpenCL: local size; CUDA: block
  std::array<std::size_t, 3> cluster{1, 1, 1};     // CUDA: blocks of a thread block cluster
  bool cooperative = false;                        // CUDA: all blocks run at once or the launch fails
  // OpenCL: `groups` are those from this one on, and global ids begin where it does; CUDA refuses others than the
  // first.
  std::array<std::size_t, 3> first_group{0, 0, 0};

  bool operator==(const Geometry3&) const = default;
};

// Device memory, freed with this object. Guard zones before and after it hold a fixed pattern, so that writes out of
// bounds show.
class Buffer : public DeviceObject {
 public:
  using DeviceObject::DeviceObject;

  virtual std::size_t bytes() const = 0;
  // A CUdeviceptr or a cl_mem, as PreparedLaunch::set_memory() takes it. 0: pixels, or none in this process.
  virtual std::uint64_t memory() const { return 0; }
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
  // CUDA: how much of the memory that a multiprocessor's caches and shared memory are both made of shall be shared
  // memory while this kernel runs, at least. Kernels that shall run side by side need the same, or they wait for each
  // other. Asking again for the same costs nothing. Others have nothing to choose.
  virtual Result<void> prefer_local_memory(std::uint64_t /*bytes_per_unit*/) { return {}; }
};

}  // namespace wattune::backend
