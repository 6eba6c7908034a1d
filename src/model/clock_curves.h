// ClockCurves learns how time and energy of a board's kernels depend on the clock, and predicts them for a new kernel.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/curve_regression.h"
#include "model/interface/clock_advisor.h"

namespace wattune::inline v0_1::model {

// Logarithms of time and energy relative to the highest clock.
struct LogPoint {
  double time = 0.0;
  double energy = 0.0;
};

// The distribution of a kernel's time and energy at a clock.
struct Outlook {
  LogPoint mean;
  LogPoint deviation;  // standard deviations of both
  bool measured = false;

  double expected_energy() const;
  // Returns the probability that the kernel takes no longer than this time at this clock.
  double chance_within(double log_time) const;
  // Returns the probability that the board draws no more than this power, relative to the power at the highest clock.
  double chance_below(double log_power) const;
  // Returns by how much the logarithm of the energy at this clock is expected to lie below `log_energy`. A higher
  // energy counts as a difference of 0.
  double expected_gain_on(double log_energy) const;
  // Returns the same expected difference, but from the energy at another clock of the same kernel.
  double expected_gain_on(const Outlook& other) const;
};

class ClockCurves {
 public:
  static Result<ClockCurves> learn(std::span<const KernelOverClocks> kernels);

  const std::vector<Megahertz>& clocks() const { return clocks_; }  // Returns the clocks, ascending.
  Result<std::vector<Outlook>> outlooks(const KernelOverClocks& kernel) const;

 private:
  ClockCurves(std::vector<Megahertz> clocks, std::size_t features, CurveRegression curves)
      : clocks_(std::move(clocks)), features_(features), curves_(std::move(curves)) {}

  std::optional<std::size_t> place_of(Megahertz clock) const;
  // Returns the last run at each of the clocks, nullopt for a clock without a run. Fails with invalid_argument if the
  // highest clock has no run.
  Result<std::vector<std::optional<ClockRun>>> placed(const KernelOverClocks& kernel) const;

  std::vector<Megahertz> clocks_;
  std::size_t features_;
  CurveRegression curves_;
};

}  // namespace wattune::model
