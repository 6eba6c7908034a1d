// Computes the distribution-free confidence interval of a median.
#pragma once

#include <vector>

namespace wattune::inline v0_1::measure {

// A median with its interval.
struct MedianInterval {
  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
  bool covers = false;  // true if the interval has the wanted confidence; otherwise low and high are the extremes
};

// Returns the median with its interval. Precondition: the values are sorted and not empty.
MedianInterval median_interval(const std::vector<double>& sorted, double confidence);

}  // namespace wattune::measure
