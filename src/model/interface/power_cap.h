// Finds the clock at which a board runs under a power cap, and the cap that saves most energy, to compare caps with
// clocks.
//
// Under a cap a board runs at the highest clock whose power stays below the cap. This is equation 2 of Schoonhoven et
// al. with its P_max, section V-C and figures 6 and 7. So a cap chooses a clock by the kernel's own power, and cannot
// reach clocks at which the board draws less than the lowest cap that it accepts. All functions are pure functions of
// values, and any thread may call them.
//
//   const auto cap = model::best_cap(power.curve, time, caps, table);
//   const auto clock = model::least_energy(power.curve, time, table);
//   if (cap && clock && clock->energy < cap->point.energy) use(clock->clock);
#pragma once

#include <span>

#include "model/interface/power_curve.h"
#include "model/interface/time_curve.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

// Returns the highest clock of the table at which the load draws at most `cap`. Fails with not_found if it draws more
// at every clock, with invalid_argument if there are no clocks.
Result<Megahertz> clock_under_cap(const PowerCurve& power, Watts cap, std::span<const Megahertz> table);

struct CapChoice {
  Watts cap;
  OperatingPoint point;  // power, time and energy at the clock that the cap leaves
};

// Returns the cap with the least energy, and the higher one of two with equal energy. Only caps count below which the
// load can stay at some clock. Fails with not_found if there is no such cap, with invalid_argument if there are no caps
// or no clocks.
Result<CapChoice> best_cap(const PowerCurve& power, const TimeCurve& time, std::span<const Watts> caps,
                           std::span<const Megahertz> table);

}  // namespace wattune::model
