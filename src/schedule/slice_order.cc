#include "wattune/schedule/slice_order.h"

#include <algorithm>

namespace wattune::schedule {

namespace {

Nanoseconds time_of_slice(const SlicedKernel& kernel, SliceTime time) {
  return time == SliceTime::as_printed ? kernel.slice * kernel.block_time : kernel.block_time;
}

}  // namespace

std::vector<std::size_t> slice_order(std::span<const SlicedKernel> kernels, SliceTime time) {
  std::vector<std::size_t> order;
  std::vector<Nanoseconds> ends;
  std::vector<std::uint64_t> left;
  for (const SlicedKernel& kernel : kernels) {
    ends.push_back(time_of_slice(kernel, time));
    left.push_back(kernel.blocks);
  }
  while (!ends.empty()) {
    const auto next = static_cast<std::size_t>(std::ranges::min_element(ends) - ends.begin());
    if (left[next] == 0) break;
    order.push_back(next);
    left[next] -= std::min<std::uint64_t>(left[next], std::max(1U, kernels[next].slice));
    ends[next] += time_of_slice(kernels[next], time);
  }
  return order;
}

}  // namespace wattune::schedule
