// When tuning a key pays, and when it begins.
//
//   const double calls = calls_to_amortise({.steps = 20, .slowness = 2.0, .share = 0.1});   // 180
#pragma once

#include <cstdint>

#include "wattune/dynamic/policy.h"

namespace wattune::dynamic {

struct TuningCost {
  double steps = 0.0;     // configurations that are tried, each in a call
  double slowness = 1.0;  // how many times longer than the best one takes on average
  double share = 0.0;     // that all of tuning may take of the calls' time, above 0
};

// How many calls it takes until tuning has cost no more than its share (paper 001, equation 4, with rp = 1 - share):
// rp * s * (t_avg / t_well - 1) / (1 - rp).
double calls_to_amortise(const TuningCost& cost);

// How many configurations, drawn at random, meet one of the good ones with this probability (paper 001, equation 5):
// log(1 - p) / log(1 - r). Both between 0 and 1.
double steps_to_meet(double share_of_good, double probability);

// When a key is tuned: once it was called often enough, unless its best is known; and again whenever it is asked for.
// Of one instance, under its lock.
class TuningOccasion {
 public:
  TuningOccasion(const TuningPolicy& policy, bool is_known)
      : calls_before_(policy.calls_before_tuning), open_(!is_known || policy.tune_known) {}

  // With so many calls of the key before this one: whether tuning begins. True once for each occasion.
  bool begins(std::uint64_t calls);
  // By retune(), or because times have drifted: with the next call.
  void ask() { asked_ = true; }
  // Whether it begins some day, if calls go on.
  bool is_pending() const { return open_ || asked_; }

 private:
  std::uint64_t calls_before_;
  bool open_;
  bool asked_ = false;
};

}  // namespace wattune::dynamic
