#include "report/log_times.h"

#include <cmath>

namespace wattune::inline v0_1::report {

LogTimes log_times(const ResultSet& results) {
  LogTimes times;
  double sum = 0.0;
  for (const Trial& trial : results.trials) {
    if (!has_time(trial)) continue;
    times.trials.push_back(&trial);
    times.values.push_back(std::log(trial.observation.search_figures().time.value()));
    sum += times.values.back();
  }
  for (double& value : times.values) {
    value -= sum / static_cast<double>(times.values.size());
    times.sum_of_squares += value * value;
  }
  return times;
}

}  // namespace wattune::report
