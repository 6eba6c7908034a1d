// The median of numbers in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace wattune::inline v0_1 {

// Returns the middle number, or the mean of the two middle ones. Precondition: the list is not empty.
inline double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : 0.5 * (numbers[middle - 1] + numbers[middle]);
}

}  // namespace wattune
