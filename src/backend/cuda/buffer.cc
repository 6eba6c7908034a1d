#include "backend/cuda/buffer.h"

#include <fmt/format.h>

#include "backend/cuda/cuda_error.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

Error out_of_memory(const CuApi& cu, std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  cu.cuMemGetInfo(&free, &total);
  return Error(ErrorCode::unavailable,
               fmt::format("the device has no room for a buffer of {} bytes: {} of {} are free", bytes, free, total))
      .native(CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
}

}  // namespace

Result<std::unique_ptr<Buffer>> CudaBuffer::make(const std::shared_ptr<Session>& session, std::size_t bytes) {
  const CuApi& cu = session->cu();
  const std::span<const std::byte> guard = session->guard();
  const std::size_t most = session->info().max_allocation_bytes.value_or(0);
  if (bytes > most - std::min(2 * guard.size(), most))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("a buffer of {} bytes is larger than the device's memory ({})", bytes, most));
  CUdeviceptr memory = 0;
  const CUresult code = cu.cuMemAlloc(&memory, std::max<std::size_t>(bytes + 2 * guard.size(), 1));
  if (code == CUDA_ERROR_OUT_OF_MEMORY) return out_of_memory(cu, bytes);
  if (code != CUDA_SUCCESS) return session->failure(code, fmt::format("allocating {} bytes", bytes));
  std::unique_ptr<CudaBuffer> buffer(new CudaBuffer(Handle<CUdeviceptr>(session, memory), bytes, guard.size()));
  WATTUNE_TRY(buffer->write_guards());
  return std::unique_ptr<Buffer>(std::move(buffer));
}

// Adopts memory. A pointer that the driver does not know is accepted only on systems where kernels can access all of
// the host's memory.
Result<std::unique_ptr<Buffer>> CudaBuffer::adopt(const std::shared_ptr<Session>& session, CUdeviceptr address,
                                                  std::size_t bytes) {
  const CuApi& cu = session->cu();
  unsigned type = 0;
  int sees_all = 0;
  if (bytes > 0 && cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS)
    cu.cuDeviceGetAttribute(&sees_all, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, session->device().id);
  if (bytes > 0 && type == 0 && (sees_all == 0 || address == 0))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{:#x} is no address that kernels on {} can reach", address, session->info().selector));
  return std::unique_ptr<Buffer>(new CudaBuffer(Handle<CUdeviceptr>::borrow(session, address), bytes, 0));
}

// Writes the guard zones and waits until they are written, because streams do not wait for the service stream.
Result<void> CudaBuffer::write_guards() const {
  if (guard_bytes_ == 0) return {};
  Session& session = *allocation_.session();
  CUresult code = CUDA_SUCCESS;
  for (const CUdeviceptr zone : guards())
    if (code == CUDA_SUCCESS)
      code = cu().cuMemcpyHtoDAsync(zone, session.guard().data(), guard_bytes_, session.service_stream());
  if (code == CUDA_SUCCESS) code = cu().cuStreamSynchronize(session.service_stream());
  if (code == CUDA_SUCCESS) return {};
  return session.failure(code, "writing a guard zone");
}

Result<std::unique_ptr<Buffer>> CudaBuffer::part(std::size_t offset, std::size_t bytes) const {
  WATTUNE_ASSIGN(const CurrentContext current, allocation_.session()->enter());
  return adopt(allocation_.session(), contents() + offset, bytes);
}

CUresult CudaBuffer::write(CUstream stream, const void* data) const {
  return cu().cuMemcpyHtoDAsync(contents(), data, bytes_, stream);
}

CUresult CudaBuffer::read(CUstream stream, void* data) const {
  return cu().cuMemcpyDtoHAsync(data, contents(), bytes_, stream);
}

CUresult CudaBuffer::copy(CUstream stream, const CudaMemory& to) const {
  return cu().cuMemcpyDtoDAsync(to.argument(), contents(), bytes_, stream);
}

CUresult CudaBuffer::fill(CUstream stream, std::byte value) {
  return cu().cuMemsetD8Async(contents(), std::to_integer<unsigned char>(value), bytes_, stream);
}

}  // namespace wattune::backend::cuda
