#include "backend/interface/part.h"

#include <fmt/format.h>

#include "backend/cuda/buffer.h"
#include "backend/opencl/buffer.h"
#include "backend/opencl/part.h"

namespace wattune::inline v0_1::backend {

Result<std::unique_ptr<Buffer>> part_of(const Buffer& buffer, std::size_t offset, std::size_t bytes) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
    return Error(ErrorCode::out_of_range,
                 fmt::format("{} bytes from byte {} of a buffer that has {}", bytes, offset, buffer.bytes()));
  if (const auto* cuda = dynamic_cast<const cuda::CudaBuffer*>(&buffer)) return cuda->part(offset, bytes);
  if (const auto* opencl = dynamic_cast<const opencl::OpenClBuffer*>(&buffer))
    return std::unique_ptr<Buffer>(std::make_unique<opencl::OpenClPart>(*opencl, offset, bytes));
  return Error(ErrorCode::unavailable, "only buffers of CUDA and OpenCL devices in this process have parts");
}

}  // namespace wattune::backend
