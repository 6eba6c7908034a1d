// Analyses a recorded search space, and how well one device's best configuration performs on another.
//
// These functions only read Trials. If a configuration has several Trials, the last one counts (counting(),
// core/trial.h). Failed Trials have no time. If a search had another objective than time, that objective takes the
// place of the time, and its inverse that of the speed. Finalists count with the figures of the search, because times
// of the final cannot be compared with those of other configurations. Any thread may call these functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

// The distribution of times over the correct configurations.
struct Distribution {
  std::size_t correct = 0;
  std::size_t failed = 0;  // in a replay, configurations without an answer are not counted
  // Objectives of the correct configurations, from the best to the worst. All are 0 if no configuration is correct.
  double best = 0.0;
  double quarter = 0.0;  // a quarter of the configurations is at least as good as this
  double median = 0.0;
  double three_quarters = 0.0;
  double worst = 0.0;
};
Distribution distribution_of(const ResultSet& results);

// Counts the configurations that are slower than the best by at most `share`. A share of 0.05 means 5 %.
std::size_t count_within(const ResultSet& results, double share);

// True if results about local minima and about random search are valid for the whole space, and not only for its
// recorded part. At least 100 configurations, or all combinations of the values, must be recorded. A correct
// configuration must also have one recorded neighbour on average for every two parameters that vary.
bool describes_space(const ResultSet& results);

// The chance that a random descent ends in a good local minimum: the proportion of centrality (Schoonhoven et al.,
// "Benchmarking optimization algorithms for auto-tuning GPU kernels", IEEE TEVC 2022). The fitness-flow graph has an
// edge from each correct configuration to each neighbour that is at least as fast. Neighbours are one place apart in
// one parameter's list of values. The PageRank (damping 0.85) of a configuration tells how often a random walk along
// the edges visits it. The proportion is the sum over the local minima that are at most `share` slower than the best,
// divided by the sum over all local minima. The proportion is NaN if no configuration is correct.
struct Centrality {
  std::size_t minima = 0;
  std::vector<double> proportions;  // a proportion for each of the shares
};
Centrality centrality_of(const ResultSet& results, const std::vector<double>& shares);

// The number of launches from which tuning pays off for an application that tunes itself by random search.
//
// Source: Petrovic et al., "A benchmark set of highly-efficient CUDA and OpenCL kernels and its dynamic autotuning with
// KTT", FGCS 108, 2020, equations 4 and 5 and Table 11. Equation 3 in that paper is the inverse of the equation that
// equation 4 solves. A configuration is good if it has at least 95 % of the best configuration's speed. The share of
// good configurations among all, including failed ones, is r. The probability that random search finds a good one is p
// = 0.9. Pay off means that all launches, including those for tuning, are 0.9 times as fast as with a good
// configuration from the start.
struct Amortisation {
  double steps = 0.0;     // s = ln(1 - p) / ln(1 - r), rounded up
  double launches = 0.0;  // n = 0.9 s (mean time / good time - 1) / (1 - 0.9), rounded up, at least s
};
// Computes after how many steps of random search a good configuration is probably found, and the number of launches.
// Both are 0 if no configuration is correct. The launches are infinite if ratios of the objective have no meaning.
Amortisation amortisation_of(const ResultSet& results);

// The recorded Trials at one graphics clock.
struct AtClock {
  Megahertz clock;
  const Trial* least = nullptr;             // the Trial of the least energy; points into the results
  std::optional<Celsius> temperature = {};  // median of the metric `temperature`; nullopt if not recorded
};
// Groups the Trials with an energy (core/energy.h) by their graphics clock. The clocks are ascending. The result is
// empty if no parameter is a graphics clock.
std::vector<AtClock> by_clock(const ResultSet& results);

// Returns by_clock() for a single code. A code is the set of configurations that differ only in the graphics clock.
// Chooses the code that was recorded at the most clocks, and among several such codes that with the least energy. At
// each clock, `least` is the Trial of this code.
std::vector<AtClock> by_clock_of_one_code(const ResultSet& results);

// Compares devices. matrix[i][j] is the speed on device j of the configuration that is best on device i, as a share of
// the best speed on j. It is 0 if the configuration failed on j. It is NaN if j did not measure it, or if no
// configuration is correct.
std::vector<std::vector<double>> portability(const std::vector<ResultSet>& results);

}  // namespace wattune::report
