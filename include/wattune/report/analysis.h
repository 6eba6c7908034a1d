// Analysis: what kind of search space was recorded, and how well one device's best configuration serves another.
//
// Only reads Trials. Of several Trials of one configuration the fastest counts; failed ones have no time.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::report {

// How times are spread over the correct configurations.
struct Distribution {
  std::size_t correct = 0;
  std::size_t failed = 0;
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

// matrix[i][j]: the speed on j of the configuration that is best on i, as a share of the best on j; 0 where it failed
// on j, NaN where j did not measure it or nothing is correct.
std::vector<std::vector<double>> portability(const std::vector<ResultSet>& results);

}  // namespace wattune::report
