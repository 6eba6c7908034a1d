// Selects the clocks of a board's table that are worth tuning at: those around the ridge of its power curve.
//
// The method is that of section V-D of Schoonhoven et al. (power_curve.h). All functions are pure functions of values,
// and any thread may call them.
//
//   const auto clocks = model::steered_clocks(fit.ridge, table);
//   if (!clocks) return clocks.error();
//   tune_at(*clocks);
#pragma once

#include <span>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

// The rounding of the ends of the range, which are seldom clocks of the table.
enum class RangeEnds {
  within,      // no clock is further from the ridge than the share
  to_nearest,  // each end moves to the nearest clock, even one outside of the range, as in the paper and Kernel Tuner
};

struct Steering {
  double share = 0.1;  // width of the range to either side, as a share of the ridge
  RangeEnds ends = RangeEnds::within;
};

// Returns the clocks of the table from (1 - share) to (1 + share) times `ridge`, ascending, each once. If no clock lies
// there, returns the one that is nearest to the ridge. Fails with invalid_argument if there are no clocks, if a clock
// or the ridge is not positive, or if the share is not from 0 to 1.
Result<std::vector<Megahertz>> steered_clocks(Megahertz ridge, std::span<const Megahertz> table,
                                              const Steering& steering = {});

}  // namespace wattune::model
