#include "backend/cuda/cu_api.h"
#include "backend/opencl/cl_api.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {

namespace {

// Returns the driver's number of the allocation. Precondition: a device was attached, so that the driver is loaded.
std::uint64_t mark_by_number(std::uint64_t memory) {
  static const cuda::CuApi& cu = *cuda::cu_api().value();
  std::uint64_t number = 0;
  const auto code = cu.cuPointerGetAttribute(&number, cuda::CU_POINTER_ATTRIBUTE_BUFFER_ID, memory);
  if (code == cuda::CUDA_ERROR_INVALID_VALUE) return 0;
  return code == cuda::CUDA_SUCCESS ? number : kUnknownMark;
}

std::uint64_t mark_by_size(std::uint64_t memory) {
  static const opencl::ClApi& cl = *opencl::cl_api().value();
  std::size_t bytes = 0;
  const auto code = cl.clGetMemObjectInfo(reinterpret_cast<cl_mem>(memory), CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  return code == CL_SUCCESS ? bytes : 0;
}

}  // namespace

MemoryMark memory_mark(const Device& device) {
  if (device.info().backend == "cuda") return mark_by_number;
  return device.info().backend == "opencl" ? mark_by_size : nullptr;
}

}  // namespace wattune::backend
