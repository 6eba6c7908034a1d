// Advice on the clock of least energy for a kernel: a few clocks are measured, and results of other kernels on the same
// board predict the rest.
//
// advise() measures the highest clock first, then always the clock whose measurement promises the largest saving. Its
// model is Gaussian regression on curves of time and energy (docs/model.md). All functions are plain functions of
// values, and any thread may call them.
//
//   const auto measure = [&](Megahertz clock) { return run_at(clock); };
//   WATTUNE_ASSIGN(const Advice advice, advise(measure, table, others, {.slowdown = 0.10}));
//   set_clock(advice.clock);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/search/method.h"

namespace wattune::inline v0_1::tune {

// A kernel that was measured at several clocks of a board. Kernels of one name form one group, since they resemble each
// other more than a new kernel resembles them.
struct WATTUNE_EXPORT MeasuredKernel {
  std::string name;
  std::vector<search::ClockPoint> points;  // one point for each clock
};

// Measures the kernel at a clock of the table.
using MeasureAtClock = std::function<Result<search::ClockPoint>(Megahertz)>;

// The limits of an advice, and the clocks that it may measure.
struct WATTUNE_EXPORT AdviceOptions {
  std::optional<double> slowdown = {};  // longest additional time against the highest clock, as a share: 0.10
  std::optional<Watts> power = {};      // highest power of the board
  double confidence = 0.9;              // probability with which the clock must stay within the limits, 0 to 1
  std::size_t clocks = 2;               // clocks to measure, 1 or more; fewer if the table has fewer
};

// A share of the value at the highest clock, with the range in which it lies with 95 % probability.
struct WATTUNE_EXPORT LikelyShare {
  double expected = 1.0;
  double low = 1.0;
  double high = 1.0;
};

// A clock that was not measured, and the saving that its measurement is expected to bring, as a share of the energy.
struct WATTUNE_EXPORT NextMeasurement {
  Megahertz clock;
  double saving = 0.0;
};

struct WATTUNE_EXPORT Advice {
  Megahertz clock;
  bool is_measured = false;  // false if time and energy at this clock are predicted
  LikelyShare time;
  LikelyShare energy;
  double chance = 1.0;                       // probability that the clock keeps the limits
  double regret = 0.0;                       // share of energy that the best other clock is expected to save
  std::optional<NextMeasurement> next = {};  // nullopt if every clock is measured
  std::vector<search::ClockPoint> measured;  // points in the order of measurement, the highest clock first
};

// Measures a kernel at `options.clocks` clocks of the table, and advises on all of them. The clocks that count are
// those of the table at which every other kernel was measured. Fails with invalid_argument if fewer than two clocks
// count, if the others have fewer than three names, or if a number is not possible. Fails with not_found if no clock
// stays within the limits, and with the errors of `measure`.
WATTUNE_EXPORT Result<Advice> advise(const MeasureAtClock& measure, const std::vector<Megahertz>& table,
                                     const std::vector<MeasuredKernel>& others, const AdviceOptions& options = {});

// Returns the advice that the method `advised` follows (search/method.h). The method measures the highest of the clocks
// that count and a second one. It measures up to four clocks while the expected regret is over half a percent. Then it
// checks the advised clock by a measurement. This function learns once from the other kernels, and fails as advise()
// does.
WATTUNE_EXPORT Result<search::AdvisedClock> advised_clock(const std::vector<Megahertz>& table,
                                                          const std::vector<MeasuredKernel>& others);

}  // namespace wattune::tune
