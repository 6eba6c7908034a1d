// Analysis: what kind of search space was recorded, and how well one device's best configuration serves another.
//
// Only reads Trials. Of several Trials of one configuration the fastest counts; failed ones have no time. Where
// something else was searched for, that stands for the time and its inverse for the speed. Finalists count with what
// the search measured of them, because times of the final do not compare with those of all others. Any thread may call.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::report {

// How times are spread over the correct configurations.
struct Distribution {
  std::size_t correct = 0;
  std::size_t failed = 0;  // without those that a replay had no answer for
  // Objectives; 0 when nothing is correct.
  double best = 0.0;
  double quarter = 0.0;  // a quarter of the configurations is at least as fast
  double median = 0.0;
  double three_quarters = 0.0;
  double worst = 0.0;
};
Distribution distribution_of(const ResultSet& results);

// How many configurations are at most `share` slower than the best: 0.05 for 5 %.
std::size_t count_within(const ResultSet& results, double share);

// Whether what the results say of local minima and of random search is said of the space that they are of: there are at
// least 100, or all combinations of the values, and on average a correct configuration has a neighbour that was
// recorded for every two parameters that vary.
bool describes_space(const ResultSet& results);

// How likely a walk downhill ends in a good local minimum: the proportion of centrality (Schoonhoven et al.,
// "Benchmarking optimization algorithms for auto-tuning GPU kernels", IEEE TEVC 2022). The fitness-flow graph has an
// edge from each correct configuration to each neighbour that is at least as fast, neighbours being one place apart in
// one parameter's list of values; its PageRank (damping 0.85) says how often a random walk along it is where. The sum
// over the local minima at most `share` slower than the best, divided by the sum over all local minima. NaN when
// nothing is correct.
struct Centrality {
  std::size_t minima = 0;
  std::vector<double> proportions;  // parallel to the shares
};
Centrality centrality_of(const ResultSet& results, const std::vector<double>& shares);

// How long an application must run until tuning inside it pays off, with random search: Petrovic et al., "A benchmark
// set of highly-efficient CUDA and OpenCL kernels and its dynamic autotuning with KTT", FGCS 108, 2020, equations 4 and
// 5 (3, as printed, is the inverse of what 4 solves) and Table 11. A configuration is good with at least 95 % of the
// best one's speed, r is their share of all configurations, failed ones too; it shall be found with probability p =
// 0.9, and the launches, tuning included, shall be 0.9 times as fast as with a good configuration from the start.
struct Amortisation {
  double steps = 0.0;     // s = ln(1 - p) / ln(1 - r), rounded up
  double launches = 0.0;  // n = 0.9 s (mean time / time of a good one - 1) / (1 - 0.9), rounded up; s at least
};
// 0 when nothing is correct; infinite launches where what was searched for does not compare as a ratio.
Amortisation amortisation_of(const ResultSet& results);

// What was recorded at one graphics clock.
struct AtClock {
  Megahertz clock;
  const Trial* least = nullptr;             // the one of the least energy, which belongs to the results
  std::optional<Celsius> temperature = {};  // median of the metric `temperature`, where that was recorded
};
// Ascending by clock, those with an energy (core/energy.h); empty where no parameter is a graphics clock.
std::vector<AtClock> by_clock(const ResultSet& results);

// The same of one code, which is what all parameters but the graphics clock make: that which was recorded at the most
// clocks, and of several that with the least energy. Each clock's `least` is its Trial.
std::vector<AtClock> by_clock_of_one_code(const ResultSet& results);

// matrix[i][j]: the speed on j of the configuration that is best on i, as a share of the best on j; 0 where it failed
// on j, NaN where j did not measure it or nothing is correct.
std::vector<std::vector<double>> portability(const std::vector<ResultSet>& results);

}  // namespace wattune::report
