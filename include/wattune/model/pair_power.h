// What two kernels take and draw together at any ratio and clock, from what each takes and draws alone.
//
// The speeds of a pair at a ratio come from the pair model (pairing.h) or from runs with fewer blocks; how they change
// with the clock, what the board draws and what its limit allows follows here (docs/model.md). Values; any thread may
// call; one thread at a time uses a PairMeasurements.
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

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/clock_advisor.h"
#include "wattune/model/co_residency.h"
#include "wattune/model/likely.h"
#include "wattune/model/pair_choice.h"

namespace wattune::model {

struct IdleAtClock {
  Megahertz clock;
  Watts power;  // at this clock with nothing to do
};

struct BoardOverClocks {
  std::vector<IdleAtClock> idle;    // at each clock, ascending
  std::optional<Watts> limit = {};  // beyond which the board lowers its clock
};

struct SoloKernel {
  std::vector<ClockRun> runs;  // alone at the board's clocks, ascending; measured or estimated
  Utilisation utilisation;     // alone at the highest of them
  double time_error = 0.01;    // standard deviations, as shares
  double power_error = 0.02;
};

// What measurements of a pair at a ratio say of its predictions.
struct PairFactors {
  std::array<double, 2> speed = {1.0, 1.0};  // of each beside the other, measured over predicted
  double power = 1.0;
  bool measured = false;  // the speeds were; the power where the board tells it
};

// With so many blocks of each on an SM.
struct PairSpeeds {
  BlockRatio ratio;
  // Of each at the highest clock over its speed alone, as long as both ask for no more than there is: what its fewer
  // blocks and waiting for the other's requests leave of it.
  std::array<double, 2> rates = {1.0, 1.0};
  PairFactors factors = {};
};

// Both once, beginning together; the one that is left then runs alone with all its blocks.
struct PairPrediction {
  BlockRatio ratio;
  Megahertz asked;
  Megahertz clock;                   // that the limit allows; the lowest where none is low enough
  std::array<double, 2> rates = {};  // of each beside the other, over its speed alone at this clock
  Likely<double> speedup;            // sum of both: over one after the other while both run
  Likely<Nanoseconds> time;
  Likely<Watts> power;  // while both run
  Watts idle;           // with nothing to do; and what each adds at its speed alone, both uncorrected
  std::array<Watts, 2> added = {};
  Likely<Joules> energy;
  PairFactors factors;  // that are in it
};

// How far speeds are off, as standard deviations in shares: of both alike, and of one at the other's cost.
struct SpeedError {
  double of_both = 0.0;
  double of_one = 0.0;
};

// Before and after the pair was measured at its ratio, at whichever clock; those of the pairs of a simulated GT 640 by
// the chain (docs/results/frugal.md).
struct SpeedErrors {
  SpeedError unmeasured = {.of_both = 0.10, .of_one = 0.14};
  SpeedError measured = {.of_both = 0.06, .of_one = 0.07};
};

// At each of the ratios at each clock of the board. invalid_argument: a kernel that was not run at the board's clocks,
// numbers that cannot be, a limit below what the board draws idle at its lowest clock.
Result<std::vector<PairPrediction>> predict_pair_at_clocks(const BoardOverClocks& board, const SoloKernel& first,
                                                           const SoloKernel& second, std::span<const PairSpeeds> speeds,
                                                           const SpeedErrors& errors = {});

// What was measured of pairs over what was predicted, as means in which a measurement counts less the older it is.
class PairMeasurements {
 public:
  // While both ran, at the ratio and clock of the prediction: the speed of each over its speed alone at that clock, and
  // the power, which is unknown where it is not positive. Ignored where a speed is not positive.
  void observe(const std::string& first, const std::string& second, const PairPrediction& predicted,
               std::array<double, 2> rates, Watts power);
  PairFactors factors(const std::string& first, const std::string& second, BlockRatio ratio) const;

 private:
  std::array<PairCorrection, 2> speed_;  // of the kernel whose name comes first, and of the other
  PairCorrection power_;
};

}  // namespace wattune::model
