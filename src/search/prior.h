// Prior: what runs on other devices or problem sizes say about a configuration.
//
// Of another device only proportions carry over, so each run's logarithms are taken from their mean. A configuration
// that was measured there is known, any other predicted by a forest. Which runs to believe, weigh() asks of what was
// measured here: a run counts by how well it ranks that (Spearman's coefficient r), and for nothing where chance could
// rank as well. As weights, (r^2 / (1 - r^2))^2: the explained share over the unexplained one, squared so that the best
// run is hardly diluted by many that are worse. How far the proportions hold here, slope() says: transfer by a scaled
// mean function, as in Bonilla, Chai, Williams: Multi-task Gaussian process prediction, NIPS 2007, for tasks of one
// correlation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/forest.h"
#include "wattune/search/strategy.h"

namespace wattune::search {

class Prior {
 public:
  // What each run says of a configuration: the logarithm of its objective, from the run's mean.
  using Opinions = std::vector<double>;

  // Objectives that are not positive numbers are left out, and runs whose objectives are all alike.
  Prior(const space::SearchSpace& space, const std::vector<std::vector<PriorObjective>>& runs, Random& random);

  bool empty() const { return runs_.empty(); }
  // Whether any run counts; what follows then says nothing else than 0.
  bool believed() const;
  Opinions opinions(ConfigurationId id) const;
  // The opinions' mean by the weights of the runs.
  double mean(const Opinions& opinions) const;
  // The same of a configuration, for which only the runs that count are asked.
  double predict(ConfigurationId id) const;
  // The best of every run that counts, the most promising first.
  const std::vector<ConfigurationId>& best() const { return best_; }

  // Of a configuration that was measured here, with the logarithm of its objective.
  void learn(const Opinions& opinions, double response);
  // Weighs the runs by all that was learned.
  void weigh();

  struct Pair {
    double prior = 0.0;     // mean()
    double response = 0.0;  // logarithm of what was measured here
  };
  // The factor on mean() that explains the responses best (least squares), 0 at least. It begins at 1, which counts as
  // much as kTrust observations.
  double slope(std::span<const Pair> pairs) const;

 private:
  static constexpr double kTrust = 3.0;

  struct Known {
    ConfigurationId id = 0;
    double value = 0.0;
  };
  struct Run {
    std::vector<Known> known;  // ascending by id
    Forest forest;
    double variance = 0.0;  // of what is known
    double belief = 0.0;    // the rank correlation that is expected of it before anything is measured here
    double weight = 0.0;
    std::vector<double> opinions;  // parallel to responses_
  };
  struct Promising {
    ConfigurationId id = 0;
    Opinions opinions;
  };

  std::optional<Run> read(const std::vector<PriorObjective>& objectives, Random& random) const;
  void fit(Run& run, const std::vector<Known>& best_first, Random& random) const;
  double opinion(const Run& run, ConfigurationId id) const;
  void collect(std::vector<ConfigurationId> ids);
  void order_best();

  const space::SearchSpace& space_;
  std::vector<Run> runs_;
  std::vector<double> responses_;     // that were learned
  std::vector<Promising> promising_;  // the best of every run
  std::vector<ConfigurationId> best_;
};

// Spearman's coefficient, equal numbers sharing their mean rank; 0 where all numbers of a side are equal. Precondition:
// as many of both.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace wattune::search
