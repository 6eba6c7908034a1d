// The median of numbers in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace wattune {

// The middle one, or the mean of the two. Precondition: not empty.
inline double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : 0.5 * (numbers[middle - 1] + numbers[middle]);
}

}  // namespace wattune
