#include "store/plausible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace wattune::inline v0_1::store {

namespace {

constexpr double kHighestClockMhz = 1e6;

std::string no_time(const char* what, Nanoseconds time) {
  return fmt::format("`{}` holds a time that cannot be: {} ns", what, time.value());
}

std::string implausible(const Statistics& statistics) {
  const std::pair<const char*, Nanoseconds> times[] = {{"interval_low", statistics.interval_low},
                                                       {"interval_high", statistics.interval_high},
                                                       {"mean", statistics.mean},
                                                       {"minimum", statistics.minimum}};
  if (!is_measurable(statistics.median) || statistics.median == Nanoseconds())
    return no_time("median", statistics.median);
  for (const auto& [name, time] : times)
    if (!is_measurable(time)) return no_time(name, time);
  if (const double confidence = statistics.confidence.value_or(0.0); !(confidence >= 0.0 && confidence <= 1.0))
    return fmt::format("`confidence` must be from 0 to 1: {}", confidence);
  const bool holds = statistics.interval_low <= statistics.median && statistics.median <= statistics.interval_high;
  if (statistics.confidence && !holds) return "the interval does not hold the median";
  return {};
}

std::string implausible(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    if (!is_measurable(sample.time)) return no_time("samples", sample.time);
    if (const double clock = sample.clock.value_or(Megahertz()).value(); !(clock <= kHighestClockMhz))
      return fmt::format("`clocks_mhz` holds a clock that cannot be: {} MHz", clock);
  }
  return {};
}

}  // namespace

std::string implausible(const Observation& observation) {
  const PhaseTimes& phases = observation.phases;
  for (const Nanoseconds time : {phases.compile, phases.check, phases.measure})
    if (!is_measurable(time)) return no_time("phases", time);
  if (!is_measurable(phases.overhead)) return no_time("overhead", phases.overhead);
  if (std::string why = implausible(observation.samples); !why.empty()) return why;
  if (observation.statistics)
    if (std::string why = implausible(*observation.statistics); !why.empty()) return why;
  for (const Metric& metric : observation.metrics)
    if (!(metric.uncertainty.value_or(0.0) >= 0.0))
      return fmt::format("`uncertainty` of a metric is negative or no number: {}", *metric.uncertainty);
  constexpr double kNoObjective = std::numeric_limits<double>::infinity();
  if (!(std::abs(observation.objective_value.value_or(0.0)) < kNoObjective) &&
      observation.objective_value != kNoObjective)
    return "`objective` must be a number";
  return {};
}

}  // namespace wattune::store
