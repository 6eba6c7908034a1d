// Amortisation: tells when tuning a key pays, and when it begins.
//
//   const double calls = calls_to_amortise({.steps = 20, .slowness = 2.0, .share = 0.1});   // 180
#pragma once

#include <cstdint>

#include "wattune/dynamic/policy.h"

namespace wattune::inline v0_1::dynamic {

struct TuningCost {
  double steps = 0.0;     // configurations that are tried, each in a call
  double slowness = 1.0;  // average time of a tried configuration over that of the best
  double share = 0.0;     // share of the calls' time that all of tuning may take, above 0
};

// Returns the number of calls after which tuning has cost no more than its share. This is equation 4 of Petrovic et al.
// 2020, with rp = 1 - share: rp * s * (t_avg / t_well - 1) / (1 - rp).
double calls_to_amortise(const TuningCost& cost);

// Returns how many configurations, drawn at random, include a good one with this probability (Petrovic et al. 2020,
// equation 5): log(1 - p) / log(1 - r). Both arguments lie between 0 and 1.
double steps_to_meet(double share_of_good, double probability);

// The occasion to tune a key: once it was called often enough, unless its best is known, and again after each ask(). It
// belongs to one instance and is used under its lock.
class TuningOccasion {
 public:
  TuningOccasion(const TuningPolicy& policy, bool is_known)
      : calls_before_(policy.calls_before_tuning), open_(!is_known || policy.tune_known) {}

  // Returns true if tuning begins now, after `calls` earlier calls of the key. True once for each occasion.
  bool begins(std::uint64_t calls);
  // Makes tuning begin with the next call, for retune() or after drift.
  void ask() { asked_ = true; }
  // True if tuning will begin if calls go on.
  bool is_pending() const { return open_ || asked_; }

 private:
  std::uint64_t calls_before_;
  bool open_;
  bool asked_ = false;
};

}  // namespace wattune::dynamic
