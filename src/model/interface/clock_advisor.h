// ClockAdvisor recommends a clock for a new kernel, on a board on which other kernels were measured at all clocks.
//
// It learns from these kernels how time and energy depend on the clock and on features, and how large the errors of
// such predictions are. A new kernel needs a run at the highest clock. Each further run makes the advice more certain,
// and the advisor names the clock at which a run would help most. The advisor owns its data; it is immutable, so any
// thread may ask.
//
//   WATTUNE_ASSIGN(const auto advisor, model::ClockAdvisor::learn(others));
//   WATTUNE_ASSIGN(const auto advice, advisor.advise({.features = f, .runs = {at_top}}, {.slowdown = 0.10}));
//   if (advice.next && advice.next->gain > 0.01) measure_at(advice.next->clock);   // and ask again
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/interface/likely.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

class ClockCurves;

// A run of a kernel at a clock; the power is that of the whole board.
struct ClockRun {
  Megahertz clock;
  Nanoseconds time;
  Watts power;
};

// The features and runs of a kernel.
struct KernelOverClocks {
  // Name of the benchmark or application. Kernels of one group resemble each other more than a new kernel resembles
  // them, so errors are estimated by leaving out whole groups.
  std::string group = {};
  // Features at the highest clock, such as the activity of parts of the GPU, in an order that all kernels share; may be
  // empty. The power at the highest clock is always one more feature.
  std::vector<double> features = {};
  std::vector<ClockRun> runs;
};

// The limits within which the advised clock must stay.
struct ClockGoal {
  std::optional<double> slowdown = {};  // longest additional time against the highest clock, as a share: 0.10
  std::optional<Watts> power = {};      // highest power of the board
  double confidence = 0.9;              // probability with which an advised clock must stay within the limits, 0 to 1
};

// The estimate for a kernel at one clock.
struct ClockEstimate {
  Megahertz clock;
  Likely<double> time;    // time relative to that at the highest clock
  Likely<double> energy;  // energy relative to that at the highest clock
  bool measured = false;
};

// A clock at which a further run would help.
struct NextClock {
  Megahertz clock;
  double gain = 0.0;  // expected saving, as a share of the energy at the best measured clock
};

// The advice for a kernel.
struct ClockAdvice {
  ClockEstimate at;     // the clock of least expected energy that meets the goal
  double chance = 1.0;  // probability that this clock meets the goal
  // The share of energy that the most promising other clock is expected to save over the advised clock.
  double regret = 0.0;
  std::optional<NextClock> next = {};  // the most promising clock to measure; empty if all are measured
};

// An advisor that has learned from other kernels.
class ClockAdvisor {
 public:
  // Learns from measured kernels. Fails with invalid_argument if there are fewer than three groups or two clocks, if
  // kernels differ in their clocks or number of features, or if a number is not possible.
  static Result<ClockAdvisor> learn(std::span<const KernelOverClocks> kernels);

  const std::vector<Megahertz>& clocks() const;  // ascending

  // Estimates time and energy at each of the clocks. Ignores the kernel's group; the last of several runs at a clock
  // counts. Fails with invalid_argument if there is no run at the highest clock, a run at a clock that is not in
  // clocks(), or a different number of features.
  Result<std::vector<ClockEstimate>> estimate(const KernelOverClocks& kernel) const;
  // Chooses a clock for the goal. Fails as estimate() does. Fails with invalid_argument if the slowdown is below 0, the
  // power is not positive, or the confidence is not from 0 to 1. Fails with not_found if no clock meets the goal.
  Result<ClockAdvice> advise(const KernelOverClocks& kernel, const ClockGoal& goal = {}) const;

 private:
  explicit ClockAdvisor(std::shared_ptr<const ClockCurves> curves) : curves_(std::move(curves)) {}

  std::shared_ptr<const ClockCurves> curves_;
};

}  // namespace wattune::model
