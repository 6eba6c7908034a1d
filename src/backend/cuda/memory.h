// CudaMemory: a buffer or pixels, as memory that a stream copies and a kernel gets. Each call hands one command to the
// driver.
#pragma once

#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

class CudaMemory : public Buffer {
 public:
  using Buffer::Buffer;

  // Returns the value that the kernel gets: an address, or a texture or surface object.
  virtual std::uint64_t argument() const = 0;

  virtual CUresult write(CUstream stream, const void* data) const = 0;
  virtual CUresult read(CUstream stream, void* data) const = 0;
  // Copies to memory of the same kind and size.
  virtual CUresult copy(CUstream stream, const CudaMemory& to) const = 0;
  // Sets every byte. Pixels are filled from host memory, which blocks as write() and read() do.
  virtual CUresult fill(CUstream stream, std::byte value) = 0;
};

}  // namespace wattune::backend::cuda
