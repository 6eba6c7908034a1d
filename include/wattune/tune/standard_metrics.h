// Metrics that every spec has where their parts were observed: energy and time as one number.
//
// A search names one as its objective and the metric is there, without a definition; one of the spec's own of the same
// name wins. Like all metrics they read the time in seconds and the energy of one run in joules.
#pragma once

#include <span>
#include <string_view>

namespace wattune::tune {

struct StandardMetric {
  std::string_view name;
  std::string_view expression;
  std::string_view unit;
};

// power, the mean of a run, where that is not observed itself; edp and ed2p (Horowitz, Indermaur, Gonzalez, "Low-power
// digital design", 1994), and operations_per_joule, to be large, of the metric `operations` that the user defines.
std::span<const StandardMetric> standard_metrics();
// nullptr: there is none of this name.
const StandardMetric* find_standard_metric(std::string_view name);

}  // namespace wattune::tune
