// Metrics that combine energy and time. Every spec has them if their inputs were observed.
//
// A search may name one as its objective without a definition; a metric of the same name in the spec takes precedence.
// Like all metrics they read the time in seconds and the energy of one run in joules.
#pragma once

#include <span>
#include <string_view>

namespace wattune::inline v0_1::tune {

// A metric with its definition.
struct StandardMetric {
  std::string_view name;
  std::string_view expression;
  std::string_view unit;
};

// Returns the metrics power, edp, ed2p and operations_per_joule. `power` is the mean power of a run, for runs in which
// power itself is not observed. `edp` and `ed2p` are those of Horowitz, Indermaur, Gonzalez, "Low-power digital
// design", 1994. `operations_per_joule` is maximised, and reads the metric `operations`, which the user defines.
std::span<const StandardMetric> standard_metrics();
// Returns the standard metric of this name; nullptr if there is none.
const StandardMetric* find_standard_metric(std::string_view name);

}  // namespace wattune::tune
