// BufferDigest: the contents of a buffer as one number, computed on the device. With it, gigabytes that have not
// changed need not be read back.
//
// Two buffers with different words have the same digest by chance in one of 2^64 cases. The device must outlive the
// digest. One thread at a time uses it, while nothing writes the buffer.
//
//   schedule::BufferDigest digest(*device);
//   WATTUNE_ASSIGN(const std::uint64_t before, digest.of(*buffer));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "wattune/backend/device.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::schedule {

class BufferDigest {
 public:
  explicit BufferDigest(backend::Device& device) : device_(&device) {}

  // Compiles the kernel of the digest at the first call; later calls return the same result. Fails with unavailable if
  // the device compiles neither CUDA nor OpenCL, and with errors of its compiler.
  Result<void> prepare();

  // Tells whether the buffer consists of whole words of four bytes, in memory that kernels address.
  static bool can_read(const backend::Buffer& buffer);
  // Returns the digest of the buffer. Precondition: can_read(). Fails with errors of prepare() and of the device.
  Result<std::uint64_t> of(const backend::Buffer& buffer);

 private:
  Result<void> compile();

  backend::Device* device_;
  std::optional<Result<void>> prepared_;  // empty until the first call of prepare()
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<backend::Program> program_;
  std::unique_ptr<backend::Kernel> kernel_;
  std::unique_ptr<backend::Buffer> sums_;  // one sum for each thread of the kernel
};

}  // namespace wattune::schedule
