// Predicts time and power of two kernels that run together, at any ratio and clock, from time and power of each alone.
//
// The speeds of a pair at a ratio come from the pair model (pairing.h) or from runs with fewer blocks. This file
// computes how the speeds change with the clock, the power of the board, and the clocks that its power limit allows
// (docs/model.md). All types are values, and any thread may call the functions. Only one thread at a time may use a
// PairMeasurements.
//
//   const model::PairSpeeds speeds{ratio, rates, measured.factors("fma", "copy", ratio)};
//   const auto all = model::predict_pair_at_clocks(board, fma, copy, {&speeds, 1});
//   const auto best = std::ranges::min_element(*all, {}, [](const auto& each) { return each.energy.expected; });
//   measured.observe("fma", "copy", *best, rates, power);   // and the next prediction is nearer
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/interface/clock_advisor.h"
#include "model/interface/likely.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/co_residency.h"
#include "wattune/model/pair_choice.h"

namespace wattune::inline v0_1::model {

// The power of an idle board at one clock.
struct IdleAtClock {
  Megahertz clock;
  Watts power;  // power at this clock, while no kernel runs
};

// A board at all clocks.
struct BoardOverClocks {
  std::vector<IdleAtClock> idle;    // idle power at each clock, ascending
  std::optional<Watts> limit = {};  // power above which the board lowers its clock
};

// A kernel alone.
struct SoloKernel {
  std::vector<ClockRun> runs;  // runs of the kernel alone at the board's clocks, ascending; measured or estimated
  Utilisation utilisation;     // utilisation of the kernel alone, at the highest of the clocks
  double time_error = 0.01;    // standard deviation of the times, as a share
  double power_error = 0.02;   // standard deviation of the powers, as a share
};

// Corrections of a pair's predictions at a ratio, learned from measurements.
struct PairFactors {
  std::array<double, 2> speed = {1.0, 1.0};  // speed of each kernel beside the other, measured over predicted
  double power = 1.0;
  bool measured = false;  // true if the speeds were measured, and with them the power if the board reports it
};

// Speeds of a pair with a given number of blocks of each kernel on an SM.
struct PairSpeeds {
  BlockRatio ratio;
  // Speed of each kernel at the highest clock, divided by its speed alone, as long as the GPU has enough of every
  // resource for both. It is lower than 1 because the kernel has fewer blocks, and because it waits for the other's
  // requests.
  std::array<double, 2> rates = {1.0, 1.0};
  PairFactors factors = {};
};

// The prediction for one run of each kernel, started together. When one has ended, the other runs alone with all its
// blocks.
struct PairPrediction {
  BlockRatio ratio;
  Megahertz asked;
  Megahertz clock;                   // highest clock within the power limit; the lowest if no clock meets it
  std::array<double, 2> rates = {};  // speed of each kernel beside the other, divided by its speed alone at this clock
  Likely<double> speedup;            // sum of `rates`: the speed-up over one after the other, while both run
  Likely<Nanoseconds> time;
  Likely<Watts> power;              // power while both run
  Watts idle;                       // power while no kernel runs; not corrected
  std::array<Watts, 2> added = {};  // power that each kernel adds at its speed alone; not corrected
  Likely<Joules> energy;
  PairFactors factors;  // the factors that were applied
};

// Standard deviations of the errors of speeds, as shares. One error changes both speeds in the same direction, the
// other raises one speed and lowers the other.
struct SpeedError {
  double of_both = 0.0;
  double of_one = 0.0;
};

// Errors of the predicted speeds, before and after the pair was measured at its ratio, at any clock. The defaults are
// those of the chain for pairs of a simulated GT 640 (docs/results/frugal.md).
struct SpeedErrors {
  SpeedError unmeasured = {.of_both = 0.10, .of_one = 0.14};
  SpeedError measured = {.of_both = 0.06, .of_one = 0.07};
};

// Predicts the pair at each of the ratios and each clock of the board. Fails with invalid_argument if a kernel was not
// run at the board's clocks or a number is not possible. Fails with invalid_argument, too, if the limit is not above
// the board's idle power at its lowest clock.
Result<std::vector<PairPrediction>> predict_pair_at_clocks(const BoardOverClocks& board, const SoloKernel& first,
                                                           const SoloKernel& second, std::span<const PairSpeeds> speeds,
                                                           const SpeedErrors& errors = {});

// Ratios of measured to predicted values of pairs: means in which older measurements count less.
class PairMeasurements {
 public:
  // Records a measurement of both kernels together, at the ratio and clock of the prediction: the speed of each,
  // divided by its speed alone at that clock, and the power. A power that is not positive is unknown. The measurement
  // is ignored if a speed is not positive.
  void observe(const std::string& first, const std::string& second, const PairPrediction& predicted,
               std::array<double, 2> rates, Watts power);
  // Returns the corrections of a pair at a ratio; factors of 1 if it was not measured.
  PairFactors factors(const std::string& first, const std::string& second, BlockRatio ratio) const;

 private:
  std::array<PairCorrection, 2> speed_;  // correction of the kernel whose name comes first, and of the other
  PairCorrection power_;
};

}  // namespace wattune::model
