// Curves: from repeated runs of a strategy to one curve, and from that to a score.
//
// The method of Willemsen et al. (FGCS 159, 2024), as docs/score.md writes it out: the best values so far of all
// repeats, as ranks in the space, against time; a bagged decreasing regression over them; normalised so that random
// search is 0 and the optimum 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wattune/score/baseline.h"

namespace wattune::score {

// Equidistant times at which curves are looked at.
inline constexpr std::size_t kCurvePoints = 1000;

// One evaluation of a run from its first correct one on.
struct RunPoint {
  double seconds = 0.0;  // since the run began, this evaluation included
  double best = 0.0;     // objective so far
};

// One repeat, in the order of time.
struct SearchRun {
  std::vector<RunPoint> points;
  std::size_t evaluations = 0;
  std::size_t not_recorded = 0;  // of them: the recording had no answer
  double search_seconds = 0.0;   // the strategy's own processor time, where the clock counts it
  std::string remark;            // search::Strategy::remark()
};

// The repeats of one strategy on one space. `baseline` outlives it. Immutable; may be shared between threads.
class Performance {
 public:
  // Precondition: some run has a point.
  Performance(const Baseline& baseline, const std::vector<SearchRun>& runs);

  // The performance at each of kCurvePoints times: 0 is random search, 1 the optimum. `seed` decides the bagging.
  std::vector<double> curve(std::uint64_t seed) const;
  // The same by one regression in which each run counts as often as `weights` says (parallel to the runs), for a
  // bootstrap to repeat. Precondition: some run that counts has a weight.
  std::vector<double> weighted_curve(const std::vector<double>& weights) const;
  // Whether the run has a point in the measured part, or wherever all points are where none is there. Some run has.
  bool counts(std::size_t run) const { return counts_[run]; }

 private:
  // A point of some run: its time, and the rank of its value among those of the space, 0 the best.
  struct RankedPoint {
    double seconds = 0.0;
    double rank = 0.0;
    std::size_t run = 0;
  };

  void collect(const std::vector<SearchRun>& runs, double from, double to);
  std::vector<double> of_ranks(const std::vector<double>& ranks) const;

  const Baseline& baseline_;
  std::size_t repeats_;
  std::vector<double> times_;
  std::vector<double> random_;       // what random search is expected to have by then
  std::vector<RankedPoint> points_;  // of all runs, ascending by time
  std::vector<bool> counts_;         // by run
  double stopping_point_;            // in seconds
};

// Of the numbers of a curve, which is not empty.
double mean_of(const std::vector<double>& curve);

}  // namespace wattune::score
