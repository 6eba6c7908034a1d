// Logarithms of the times of a ResultSet, for analyses of variance.
#pragma once

#include <vector>

#include "report/trials.h"

namespace wattune::report {

struct LogTimes {
  std::vector<const Trial*> trials;
  std::vector<double> values;  // less their mean, so that sums of squares stay exact
  double sum_of_squares = 0.0;

  // Times that agree to within 1e-12 differ by rounding alone.
  bool differ() const { return sum_of_squares > static_cast<double>(values.size()) * 1e-24; }
};

// Of every Trial with a time, as the search measured it.
LogTimes log_times(const ResultSet& results);

// So many results are explained by the values of these parameters, each alone, whatever was measured; more are needed.
std::size_t least_results(const LogTimes& times, const std::vector<std::size_t>& parameters);

}  // namespace wattune::report
