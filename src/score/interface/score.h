// Score: the quality of search strategies on recorded spaces, by the methodology of Willemsen et al. (FGCS 159, 2024).
//
// Each strategy searches each space many times on a replay. The runs become a curve of performance over time, in which
// 0 is random search and 1 the optimum. The score is the mean of that curve. docs/score.md has the formulas, their
// source and their limits. Runs are distributed to threads, which end before a function returns.
//
//   WATTUNE_ASSIGN(auto scored, ScoredSpace::of("convolution A100", space, recording, ReplayClock::recorded));
//   WATTUNE_ASSIGN(auto scores, score({scored}, {{"greedy_ils", {}}}, {}));
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "score/interface/baseline.h"
#include "score/interface/curve.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/replay.h"

namespace wattune::inline v0_1::score {

// A recorded space to search. Space and recording outlive the object; any number of threads may read them.
struct ScoredSpace {
  std::string name;
  const space::SearchSpace& space;
  const tune::Recording& recording;
  Baseline baseline;
  tune::ReplayClock clock;
  std::vector<std::vector<search::PriorObjective>> prior = {};  // earlier results that any strategy may use

  // Makes a ScoredSpace with its baseline. Fails as Baseline::of() does.
  static Result<ScoredSpace> of(std::string name, const space::SearchSpace& space, const tune::Recording& recording,
                                tune::ReplayClock clock);
};

struct StrategyChoice {
  std::string name;
  std::map<std::string, double> parameters;
};

struct ScoreOptions {
  std::size_t repeats = 100;
  std::uint64_t seed = 1;
  std::size_t ahead = 1;         // proposals that a strategy is asked for in advance, as in tune::TuningOptions
  std::size_t resamples = 1000;  // number of resamples of the bootstrap
  unsigned threads = 0;          // number of threads; with 0, one for each processor
  // Function that is called after each run, from any thread, one at a time.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

// A score with its 95 % interval, from a bootstrap over the repeats. The interval tells nothing about other spaces.
struct Score {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

struct SpaceScore {
  Score score;
  std::vector<double> curve;
  double share_of_optimum = 0.0;  // mean over the runs: best found against the optimum, as gain() computes it
  double optimum_found = 0.0;     // share of the runs that found the optimum
  double evaluations = 0.0;       // mean number of evaluations of a run
  double not_recorded = 0.0;      // mean number of a run's evaluations without an answer in the recording
  double search_seconds = 0.0;    // mean processor time of the strategy itself in a run, if the clock counts it
  std::string remark;             // the strategy's remark on the first run; may be empty
};

struct StrategyScore {
  StrategyChoice strategy;
  std::size_t recorded_runs = 0;  // least number of runs of another program on a space; 0 if the strategy ran here
  Score score;                    // mean score over the spaces
  double deviation = 0.0;         // deviation of the mean curve over time; the published tool prints it as the error
  std::vector<double> curve;
  std::vector<SpaceScore> spaces;  // scores in the order of the spaces
};

// Computes the score of each strategy. Equal seeds give equal scores, whatever the number of threads, unless the clock
// counts the strategies' own time. Fails as make_strategy() does. Fails with invalid_argument without a space or
// strategy, with fewer than 1 repeat, or if no run of a strategy on a space found a correct configuration within the
// budget.
Result<std::vector<StrategyScore>> score(const std::vector<ScoredSpace>& spaces,
                                         const std::vector<StrategyChoice>& strategies, const ScoreOptions& options);

// Computes the score of runs that another program made (recorded_run.h); `runs` has the order of the spaces. Every run
// counts, however few evaluations it has. Fails with invalid_argument if a space has no run, or if none of its runs
// found a correct configuration within the budget.
Result<StrategyScore> score_runs(const std::vector<ScoredSpace>& spaces, const std::string& name,
                                 std::vector<std::vector<SearchRun>> runs, const ScoreOptions& options);

// A comparison of two strategies on the same spaces.
struct StrategyComparison {
  double difference = 0.0;  // difference of the mean scores
  std::size_t higher = 0;   // number of spaces where the first strategy's score is higher
  // The p-value of a two-sided permutation test (Fisher, The Design of Experiments, 1935, section 21). If both
  // strategies were alike, the sign of each space's difference would be chance. p is the share of all choices of signs
  // whose mean is at least as far from 0. With more than 20 spaces, 2^20 choices are drawn at random, and the observed
  // choice is added.
  double p = 1.0;
};

// Compares two strategies. Precondition: both have scores on the same spaces.
StrategyComparison compare(const StrategyScore& strategy, const StrategyScore& reference);

}  // namespace wattune::score
