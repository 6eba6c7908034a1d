// What kernels take and draw alone at each of some clocks of the cores, and what that says of pairs there.
//
// The caller owns machine and control; nothing else runs and nobody else sets clocks meanwhile; one thread at a time.
// Forecasters are values, which any thread may call.
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

namespace wattune::schedule {

struct ClockProfileOptions {
  std::vector<Megahertz> clocks;  // ascending
  Nanoseconds window;             // as of profile_power()
  std::size_t rounds = 3;         // of each kernel's time, whose median counts
};

// Of all kernels, in their order, at each of the clocks, which are restored whatever becomes of it. Times and powers
// are those of the curves that fit them (model::TimeCurve, and from five clocks on model::PowerCurve), and as measured
// where no curve does. invalid_argument: a kernel whose time alone is unknown; unavailable: the board tells no energy,
// or is faster than it was set to; errors of the control, which name the clock, and of launches.
Result<std::vector<std::vector<AtClock>>> profile_at_clocks(Machine& machine, backend::ClockControl& control,
                                                            const ClockProfileOptions& options);

// Time, joules or the product of both, by the goal.
double cost_alone(const AtClock& point, Goal goal);
// Whether the kernel alone does there.
bool keeps_limits(const AtClock& point, const KernelTraits& kernel, const Objective& objective);
// The clocks at which the kernel alone takes the least time, the fewest joules or the least product of both, of those
// that keep the limits; the higher of two that are alike. None: none of them does.
std::optional<backend::BoardSetting> best_clocks(const KernelTraits& kernel, const Objective& objective);

// What the other one says of two kernels at the board's own clocks, at each at which both were profiled
// (model::predict_pair_at_clocks()); the best of all ways at all clocks, with all others. Clocks at which the two would
// draw more than the board's limit are left out, since it would lower them. The other one must tell all ways whatever
// they promise, so it has no limits of its own. Precondition: both kernels have profiles at the same clocks, and best
// clocks.
Forecaster clocked_forecaster(Forecaster at_own_clocks, std::optional<Watts> board_limit, const Objective& objective);

}  // namespace wattune::schedule
