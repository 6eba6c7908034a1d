// MemoryRange: the place of a buffer on its device, which tells whether two buffers overlap. Any thread may call the
// functions.
//
//   if (backend::overlap(backend::range_of(*x), backend::range_of(*y))) return refuse();
#pragma once

#include <cstdint>

#include "wattune/backend/launch.h"

namespace wattune::inline v0_1::backend {

struct MemoryRange {
  std::uint64_t allocation = 0;  // OpenCL: the buffer, or that of which it is part; CUDA: 0, as addresses suffice
  std::uint64_t first = 0;       // OpenCL: offset in the allocation, in bytes; CUDA: address
  std::uint64_t bytes = 0;
};

// Returns the place of a buffer of CUDA or OpenCL in this process.
MemoryRange range_of(const Buffer& buffer);

inline bool overlap(const MemoryRange& one, const MemoryRange& other) {
  return one.allocation == other.allocation && one.first < other.first + other.bytes &&
         other.first < one.first + one.bytes;
}

}  // namespace wattune::backend
