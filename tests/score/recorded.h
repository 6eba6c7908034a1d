// Recorded results made up for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::score {

inline Observation correct(double nanoseconds, double cost_seconds) {
  Observation observation;
  const Nanoseconds time(nanoseconds);
  observation.statistics = Statistics{time, time, time, time, time, {}};
  observation.phases.compile = nanoseconds_from_seconds(cost_seconds) - time;
  return observation;
}

inline Observation failed(double cost_seconds) {
  Observation observation;
  observation.status = Status::runtime;
  observation.phases.compile = nanoseconds_from_seconds(cost_seconds);
  return observation;
}

// Returns one Trial for each observation: x is its position in a row of `width`, y the row.
inline ResultSet grid(const std::vector<Observation>& observations, int width) {
  ResultSet results;
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "y"});
  results.info.parameters = {{"x", {}, {}, {}}, {"y", {}, {}, {}}};
  for (int x = 0; x < width; ++x) results.info.parameters[0].values.emplace_back(x);
  for (int i = 0; i < static_cast<int>(observations.size()); ++i) {
    if (i % width == 0) results.info.parameters[1].values.emplace_back(i / width);
    results.trials.push_back({Configuration(static_cast<ConfigurationId>(i), names, {i % width, i / width}),
                              observations[static_cast<std::size_t>(i)],
                              {}});
  }
  return results;
}

// Returns ten correct configurations of 1 to 10 ns that cost 2 s each, and five failed ones of 1 s.
inline ResultSet ten_and_five_results() {
  std::vector<Observation> observations;
  for (int i = 1; i <= 10; ++i) observations.push_back(correct(i, 2.0));
  for (int i = 0; i < 5; ++i) observations.push_back(failed(1.0));
  return grid(observations, 5);
}
inline std::vector<Trial> ten_and_five() { return ten_and_five_results().trials; }

}  // namespace wattune::score
