// Pixels in a CUDA array or in linear memory, which kernels access through a texture or a surface object.
#pragma once

#include <vector>

#include "backend/cuda/memory.h"

namespace wattune::inline v0_1::backend::cuda {

class CudaPixelBuffer : public CudaMemory {
 public:
  // Creates pixels. Fails with unavailable, and a reason, if CUDA has no such pixels.
  static Result<std::unique_ptr<Buffer>> make(const std::shared_ptr<Session>& session, const PixelLayout& layout);

  std::size_t bytes() const override { return bytes_of(layout_); }
  bool has_pixels() const override { return true; }
  std::uint64_t argument() const override;
  CUresult write(CUstream stream, const void* data) const override;
  CUresult read(CUstream stream, void* data) const override;
  CUresult copy(CUstream stream, const CudaMemory& to) const override;
  CUresult fill(CUstream stream, std::byte value) override;

 private:
  CudaPixelBuffer(const Session& session, const PixelLayout& layout) : CudaMemory(session), layout_(layout) {}

  const CuApi& cu() const { return (linear_.get() != 0 ? *linear_.session() : *array_.session()).cu(); }
  Result<void> allocate(const std::shared_ptr<Session>& session);
  Result<void> make_object(const std::shared_ptr<Session>& session);
  // Returns the description of a copy of all pixels, in which source and target are still to be set.
  CUDA_MEMCPY3D whole() const;
  void set_source(CUDA_MEMCPY3D& copy) const;
  void set_target(CUDA_MEMCPY3D& copy) const;

  PixelLayout layout_;
  Handle<CUarray> array_;
  Handle<CUdeviceptr> linear_;  // linear memory, used instead of the array
  Handle<CUtexObject> texture_;
  Handle<CUsurfObject> surface_;
  std::vector<std::byte> filling_;  // source of fill(), which the device reads until the command has ended
};

}  // namespace wattune::backend::cuda
