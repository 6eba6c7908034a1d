// Combines repeated runs of a strategy into one curve of performance over time, from which a score is computed.
//
// The method is that of Willemsen et al. (FGCS 159, 2024), as docs/score.md describes it. Its data are the best values
// so far of all repeats over time, as ranks in the space. A bagged decreasing regression is fitted to them and
// normalised, so that random search is 0 and the optimum 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "score/interface/baseline.h"

namespace wattune::inline v0_1::score {

// Number of equally spaced times at which curves are evaluated.
inline constexpr std::size_t kCurvePoints = 1000;

// One evaluation of a run. The points begin with the first correct evaluation.
struct RunPoint {
  double seconds = 0.0;  // time since the run began, this evaluation included
  double best = 0.0;     // best objective so far
};

// One repeated run of a search, in the order of time.
struct SearchRun {
  std::vector<RunPoint> points;
  std::size_t evaluations = 0;
  std::size_t not_recorded = 0;  // number of evaluations without an answer in the recording
  double search_seconds = 0.0;   // the strategy's own processor time, if the clock counts it
  std::string remark;            // the strategy's remark (search::Strategy::remark())
};

// The performance of one strategy on one space, from its repeats. `baseline` must outlive this object. The object is
// immutable and may be shared between threads.
class Performance {
 public:
  // Takes the runs. Precondition: at least one run has a point.
  Performance(const Baseline& baseline, const std::vector<SearchRun>& runs);

  // Returns the performance at each of kCurvePoints times: 0 is random search, 1 the optimum. `seed` decides which
  // samples the bagging draws.
  std::vector<double> curve(std::uint64_t seed) const;
  // Returns the curve of one regression in which each run counts as often as `weights` says (parallel to the runs). A
  // bootstrap calls this function repeatedly. Precondition: at least one run that counts has a weight.
  std::vector<double> weighted_curve(const std::vector<double>& weights) const;
  // True if the run has a point in the measured part or, if no run has one there, in the part where all points lie. At
  // least one run counts.
  bool counts(std::size_t run) const { return counts_[run]; }

 private:
  // A point of some run: its time, and the rank of its value among those of the space. Rank 0 is the best.
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
  std::vector<double> random_;       // expected best of random search at each time
  std::vector<RankedPoint> points_;  // points of all runs, ascending by time
  std::vector<bool> counts_;         // for each run: whether it counts
  double stopping_point_;            // moment after which the curve is held constant, in seconds
};

// Returns the mean of a curve, which must not be empty.
double mean_of(const std::vector<double>& curve);

}  // namespace wattune::score
