// Computes the logarithms of the times of a ResultSet, for analyses of variance.
#pragma once

#include <vector>

#include "report/interface/trials.h"

namespace wattune::inline v0_1::report {

struct LogTimes {
  std::vector<const Trial*> trials;
  std::vector<double> values;  // logarithms minus their mean, for exact sums of squares
  double sum_of_squares = 0.0;

  // True if the times differ by more than rounding errors, which are taken to be 1e-12.
  bool differ() const { return sum_of_squares > static_cast<double>(values.size()) * 1e-24; }
};

// Returns the logarithm of every Trial's time, as the search measured it.
LogTimes log_times(const ResultSet& results);

// Returns the largest number of results that the values of these parameters could explain exactly, whatever was
// measured. An analysis needs more results than this.
std::size_t least_results(const LogTimes& times, const std::vector<std::size_t>& parameters);

}  // namespace wattune::report
