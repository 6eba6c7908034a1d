// Device memory between guard zones. One allocation holds a guard zone, the contents and another guard zone, so that
// small overruns hit a guard zone and are found.
#pragma once

#include <array>

#include "backend/cuda/memory.h"

namespace wattune::inline v0_1::backend::cuda {

class CudaBuffer : public CudaMemory {
 public:
  static Result<std::unique_ptr<Buffer>> make(const std::shared_ptr<Session>& session, std::size_t bytes);
  // Adopts memory of the application, without guard zones.
  static Result<std::unique_ptr<Buffer>> adopt(const std::shared_ptr<Session>& session, CUdeviceptr address,
                                               std::size_t bytes);

  std::size_t bytes() const override { return bytes_; }
  std::uint64_t memory() const override { return contents(); }
  std::uint64_t argument() const override { return contents(); }
  CUresult write(CUstream stream, const void* data) const override;
  CUresult read(CUstream stream, void* data) const override;
  CUresult copy(CUstream stream, const CudaMemory& to) const override;
  CUresult fill(CUstream stream, std::byte value) override;

  // Returns a part of the buffer, which borrows the buffer's memory (part.h).
  Result<std::unique_ptr<Buffer>> part(std::size_t offset, std::size_t bytes) const;
  // Returns the address of the contents, which the kernel sees.
  CUdeviceptr contents() const { return guards()[0] + guard_bytes_; }
  // Returns the bytes of each guard zone, 0 if there are none.
  std::size_t guard_bytes() const { return guard_bytes_; }
  // Returns the addresses of the guard zones.
  std::array<CUdeviceptr, 2> guards() const { return {allocation_.get(), allocation_.get() + guard_bytes_ + bytes_}; }

 private:
  CudaBuffer(Handle<CUdeviceptr> allocation, std::size_t bytes, std::size_t guard_bytes)
      : CudaMemory(*allocation.session()),
        allocation_(std::move(allocation)),
        bytes_(bytes),
        guard_bytes_(guard_bytes) {}

  const CuApi& cu() const { return allocation_.session()->cu(); }
  Result<void> write_guards() const;

  Handle<CUdeviceptr> allocation_;
  std::size_t bytes_;
  std::size_t guard_bytes_;
};

}  // namespace wattune::backend::cuda
