// In which order slices of kernels that run together are launched, where nobody tells which of them have ended.
//
// Algorithm 3 of Jiao et al. (schedule/profit_table.h): a slice of the kernel whose slices are expected to end first.
// Schedulers here learn of each end instead. Pure; any thread.
//
//   const std::array kernels = {schedule::SlicedKernel{6, block_time, 100}, schedule::SlicedKernel{10, 0.5 *
//   block_time, 100}}; for (const std::size_t kernel : schedule::slice_order(kernels)) launch_slice(kernel);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::schedule {

struct SlicedKernel {
  unsigned slice = 1;      // blocks of a slice, which run at the same time
  Nanoseconds block_time;  // beside the others
  std::uint64_t blocks = 0;
};

enum class SliceTime {
  of_a_block,  // its blocks run side by side
  as_printed,  // its blocks times that, as if they ran one after the other
};

// Places of kernels, one for each slice, until the kernel whose turn it is has no blocks left.
std::vector<std::size_t> slice_order(std::span<const SlicedKernel> kernels, SliceTime time = SliceTime::of_a_block);

}  // namespace wattune::schedule
