#include "backend/interface/memory_range.h"

#include <cstddef>
#include <cstdint>

#include "backend/opencl/buffer.h"

namespace wattune::inline v0_1::backend {

MemoryRange range_of(const Buffer& buffer) {
  const auto* const opencl = dynamic_cast<const opencl::OpenClBuffer*>(&buffer);
  if (opencl == nullptr) return {.allocation = 0, .first = buffer.memory(), .bytes = buffer.bytes()};
  cl_mem whole = nullptr;
  std::size_t offset = 0;
  const auto ask = [&](cl_mem_info what, std::size_t bytes, void* answer) {
    return opencl->cl().clGetMemObjectInfo(opencl->contents(), what, bytes, answer, nullptr) == CL_SUCCESS;
  };
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a cl_mem is a handle
  const bool is_part = ask(CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole) && whole != nullptr;
  if (is_part) ask(CL_MEM_OFFSET, sizeof offset, &offset);
  return {.allocation = reinterpret_cast<std::uintptr_t>(is_part ? whole : opencl->contents()),
          .first = offset,
          .bytes = buffer.bytes()};
}

}  // namespace wattune::backend
