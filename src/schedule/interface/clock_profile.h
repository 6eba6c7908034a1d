// Profiles of kernels alone at several clocks of the cores and of the memory (time and power), and forecasts of pairs
// at these clocks.
//
// The caller owns the machine and the control of its clocks. While kernels are profiled, nothing else runs on the
// machine, and nobody else sets clocks. One thread at a time profiles. Forecasters are values, which any thread may
// call.
//
//   WATTUNE_ASSIGN(auto profiles, schedule::profile_at_clocks(*machine, *clocks, {.clocks = {...}, .window = window}));
//   traits.at_clocks = profiles[fma];
//   traits.best_clocks = schedule::best_clocks(traits, objective);
//   const auto at_all_clocks = schedule::clocked_forecaster(residency, {}, objective);
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"

namespace wattune::inline v0_1::schedule {

struct ClockProfileOptions {
  std::vector<backend::BoardSetting> clocks;  // clocks to measure at, sorted by memory clock and then by core clock
  Nanoseconds window;                         // length of each measurement, as in profile_power()
  std::size_t rounds = 3;                     // number of runs per kernel and clock; the median of their times counts
  Objective objective = {};                   // the objective, whose best clocks are measured, not estimated
};

// Measures kernels alone, in their order, at each of the clocks. The clocks are restored in every case. Returned times
// and powers lie on curves that are fitted at each memory clock: model::TimeCurve, and from five clocks on
// model::PowerCurve. Where no curve fits, the measured values are returned.
//
// If a memory clock has five or more core clocks, all kernels after the sixth are measured at only a few of them. The
// first six kernels tell what to expect at the other clocks (model::ClockAdvisor). The highest clock is measured first.
// Then always the clock that seems best for the objective follows, until the best one is measured.
//
// Fails with invalid_argument if a kernel's time alone is unknown, and with unavailable if the board reports no energy
// or runs faster than it was set to. Errors of the control name the clock; errors of launches are passed on.
Result<std::vector<std::vector<AtClock>>> profile_at_clocks(Machine& machine, backend::ClockControl& control,
                                                            const ClockProfileOptions& options);

// Returns the time in ns, the energy in joules or their product, as the goal asks.
double cost_alone(const AtClock& point, Goal goal);
// Tells whether the kernel alone stays within the limits of the objective at these clocks.
bool keeps_limits(const AtClock& point, const KernelTraits& kernel, const Objective& objective);
// Returns the clocks at which the kernel alone takes the least time, the least energy or the smallest product of both.
// Only clocks within the limits count; the higher of two equal ones wins. Returns nullopt if no clocks are within the
// limits.
std::optional<backend::BoardSetting> best_clocks(const KernelTraits& kernel, const Objective& objective);

// Returns a forecaster that predicts two kernels at each clock at which both were profiled
// (model::predict_pair_at_clocks()). It starts from the forecast of `at_own_clocks` for the pair at the board's own
// clocks. The result is the best way over all ratios, splits and clocks, with all other ways. Clocks at which the pair
// would draw more than the board's limit are left out, since the board would lower them. `at_own_clocks` must return
// all ways, even bad ones, so it has no limits of its own. `own_memory` is the board's own memory clock, which is
// needed if kernels were profiled at other memory clocks. Precondition: both kernels have profiles at the same clocks,
// and best clocks.
Forecaster clocked_forecaster(Forecaster at_own_clocks, std::optional<Watts> board_limit, const Objective& objective,
                              std::optional<Megahertz> own_memory = {});

}  // namespace wattune::schedule
