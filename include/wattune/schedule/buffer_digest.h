// BufferDigest: what a buffer holds as one number, computed on the device, so that gigabytes that are the same as
// before need not be read.
//
// Two buffers whose words differ have the same digest by chance alone, in one of 2^64 cases. The device outlives it;
// one thread at a time, while nothing runs that writes the buffer.
//
//   schedule::BufferDigest digest(*device);
//   WATTUNE_ASSIGN(const std::uint64_t before, digest.of(*buffer));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "wattune/backend/device.h"
#include "wattune/core/result.h"

namespace wattune::schedule {

class BufferDigest {
 public:
  explicit BufferDigest(backend::Device& device) : device_(&device) {}

  // Compiles its kernel when it is first called, and says the same from then on. unavailable: the device compiles
  // neither CUDA nor OpenCL; errors of its compiler.
  Result<void> prepare();

  // Of whole words of four bytes in memory that kernels address.
  static bool can_read(const backend::Buffer& buffer);
  // Precondition: can_read(). Errors of prepare() and of the device.
  Result<std::uint64_t> of(const backend::Buffer& buffer);

 private:
  Result<void> compile();

  backend::Device* device_;
  std::optional<Result<void>> prepared_;  // none: nobody has asked
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<backend::Program> program_;
  std::unique_ptr<backend::Kernel> kernel_;
  std::unique_ptr<backend::Buffer> sums_;  // one of each thread
};

}  // namespace wattune::schedule
