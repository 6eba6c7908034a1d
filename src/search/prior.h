// Prior: what runs on other devices or problem sizes say about a configuration.
//
// Of another device only proportions carry over, so each run's logarithms are taken from their mean. A configuration
// that was measured there is known, any other predicted by a forest. How far the proportions hold here, slope() asks of
// what was measured here: transfer by a scaled mean function, as in Bonilla, Chai, Williams: Multi-task Gaussian
// process prediction, NIPS 2007, for tasks of one correlation.
#pragma once

#include <span>
#include <unordered_map>

#include "search/forest.h"
#include "wattune/search/strategy.h"

namespace wattune::search {

class Prior {
 public:
  // Objectives that are not positive are left out, and a run of which none is.
  Prior(const space::SearchSpace& space, const std::vector<std::vector<PriorObjective>>& runs, Random& random);

  bool empty() const { return known_.empty(); }
  // Logarithm of the objective, from the mean; 0 when empty().
  double predict(ConfigurationId id) const;
  // Every configuration measured, the best first.
  const std::vector<ConfigurationId>& best() const { return best_; }

  struct Pair {
    double prior = 0.0;     // predict()
    double response = 0.0;  // logarithm of what was measured here
  };
  // The factor on predict() that explains the responses best (least squares), 0 at least. It begins at 1, which counts
  // as much as kTrust observations.
  double slope(std::span<const Pair> pairs) const;

 private:
  static constexpr double kTrust = 3.0;

  const space::SearchSpace& space_;
  std::unordered_map<ConfigurationId, double, IdHash> known_;
  std::vector<ConfigurationId> best_;
  Forest forest_;
  double variance_ = 0.0;  // of what is known
};

}  // namespace wattune::search
