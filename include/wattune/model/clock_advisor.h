// ClockAdvisor: which clock a new kernel should run at, on a board on which other kernels were measured at all clocks.
//
// It learns from the others how time and energy go with the clock, as far as features tell, and how far they stray from
// that. Of a new kernel it needs a run at the highest clock; each further one narrows the answer, and it says which
// would most. The advisor owns what it learned; const, so any thread may ask.
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

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/likely.h"

namespace wattune::model {

class ClockCurves;

// A kernel at a clock; the power is that of the whole board.
struct ClockRun {
  Megahertz clock;
  Nanoseconds time;
  Watts power;
};

// What is known of a kernel.
struct KernelOverClocks {
  // Kernels of one benchmark or application resemble each other more than a new kernel will, so that they count as one
  // witness when errors are judged.
  std::string group = {};
  // At the highest clock, in an order that all share, such as the activity of parts of the GPU; may be empty. The power
  // at the highest clock is one in any case.
  std::vector<double> features = {};
  std::vector<ClockRun> runs;
};

struct ClockGoal {
  std::optional<double> slowdown = {};  // at most so much longer than at the highest clock: 0.10
  double confidence = 0.9;              // with which an advised clock is to keep that, 0 to 1
};

struct ClockEstimate {
  Megahertz clock;
  Likely<double> time;    // over that at the highest clock
  Likely<double> energy;  // likewise
  bool measured = false;
};

struct NextClock {
  Megahertz clock;
  double gain = 0.0;  // expected, as a share of the energy at the best clock that was measured
};

struct ClockAdvice {
  ClockEstimate at;                    // the clock of least expected energy that keeps the goal
  double chance = 1.0;                 // that it does
  std::optional<NextClock> next = {};  // the clock whose measurement promises most; none: all are measured
};

class ClockAdvisor {
 public:
  // invalid_argument: fewer than three groups, kernels that were not run at the same clocks or have other features,
  // fewer than two clocks, numbers that cannot be.
  static Result<ClockAdvisor> learn(std::span<const KernelOverClocks> kernels);

  const std::vector<Megahertz>& clocks() const;  // ascending

  // At each of the clocks. Its group is not looked at; of several runs at a clock the last counts. invalid_argument: no
  // run at the highest clock, one at a clock that the others were not run at, other features.
  Result<std::vector<ClockEstimate>> estimate(const KernelOverClocks& kernel) const;
  // invalid_argument: as above, a slowdown below 0, a confidence that is none.
  Result<ClockAdvice> advise(const KernelOverClocks& kernel, const ClockGoal& goal = {}) const;

 private:
  explicit ClockAdvisor(std::shared_ptr<const ClockCurves> curves) : curves_(std::move(curves)) {}

  std::shared_ptr<const ClockCurves> curves_;
};

}  // namespace wattune::model
