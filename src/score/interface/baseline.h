// Baseline: the expected result of random search on a recorded space, computed instead of simulated.
//
// The method is that of Willemsen et al., "A methodology for comparing optimization algorithms for auto-tuning", FGCS
// 159 (2024), with the formulas as their program computes them; docs/score.md has them all. Values are objectives to be
// minimised, times are seconds. A Baseline is immutable and may be shared between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/trial.h"
#include "wattune/tune/replay.h"

namespace wattune::inline v0_1::score {

// The measured part of a run begins and ends when random search has covered these shares of the way from the median to
// the optimum.
inline constexpr double kStartShare = 0.01;
inline constexpr double kEndShare = 0.95;

class Baseline {
 public:
  // Makes a baseline from every configuration of a space, each once. Fails with invalid_argument if no configuration is
  // correct, if all correct ones are equally fast, so that there is nothing to search for, or if they cost no time.
  static Result<Baseline> of(const std::vector<Trial>& trials, tune::ReplayClock clock);

  std::size_t valid() const { return best_first_.size(); }
  std::size_t failed() const { return failed_; }
  double optimum() const { return best_first_.front(); }
  double median() const { return median_; }
  const std::vector<double>& best_first() const { return best_first_; }

  // Returns the number of evaluations that random search needs to cover this share, in (0, 1), of the way from the
  // median to the optimum.
  std::uint64_t evaluations_to(double share) const;
  // Returns the mean cost of an evaluation of random search, in seconds.
  double mean_cost() const { return mean_cost_; }
  // Returns the median cost of a correct or failed evaluation, in seconds.
  double median_cost() const { return median_cost_; }

  // Returns where the measured part of a run begins or ends, in seconds from the start of the run. The measured part is
  // at least two evaluations long.
  double start() const { return start_; }
  double end() const { return end_; }
  // Returns the length of runs in seconds.
  double budget() const { return 1.1 * end_; }

  // Returns `points` equally spaced times from start() to end().
  std::vector<double> times(std::size_t points) const;
  // Returns the expected best value of random search at each of these times.
  std::vector<double> curve(std::size_t points) const;

 private:
  Baseline() = default;
  double value_after(std::uint64_t evaluations) const;

  std::vector<double> best_first_;
  std::size_t failed_ = 0;
  double median_ = 0.0;
  double mean_cost_ = 0.0;
  double median_cost_ = 0.0;
  double start_ = 0.0;
  double end_ = 0.0;
};

}  // namespace wattune::score
