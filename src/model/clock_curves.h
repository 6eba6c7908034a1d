// ClockCurves: how time and energy of a board's kernels go with the clock, and what that says of a new kernel.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/curve_regression.h"
#include "wattune/model/clock_advisor.h"

namespace wattune::model {

// Logarithms of time and energy over those at the highest clock.
struct LogPoint {
  double time = 0.0;
  double energy = 0.0;
};

// What is thought of a kernel at a clock.
struct Outlook {
  LogPoint mean;
  LogPoint deviation;  // standard deviations
  bool measured = false;

  double expected_energy() const;
  // That it takes no longer than this.
  double chance_within(double log_time) const;
  // By how much its energy is expected to be less than this.
  double expected_gain_on(double log_energy) const;
};

class ClockCurves {
 public:
  static Result<ClockCurves> learn(std::span<const KernelOverClocks> kernels);

  const std::vector<Megahertz>& clocks() const { return clocks_; }  // ascending
  Result<std::vector<Outlook>> outlooks(const KernelOverClocks& kernel) const;

 private:
  ClockCurves(std::vector<Megahertz> clocks, std::size_t features, CurveRegression curves)
      : clocks_(std::move(clocks)), features_(features), curves_(std::move(curves)) {}

  std::optional<std::size_t> place_of(Megahertz clock) const;
  // Of each clock the last run, where there is one; at the highest there is.
  Result<std::vector<std::optional<ClockRun>>> placed(const KernelOverClocks& kernel) const;

  std::vector<Megahertz> clocks_;
  std::size_t features_;
  CurveRegression curves_;
};

}  // namespace wattune::model
