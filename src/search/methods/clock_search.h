// next_clock() finds the clock at which one compiled kernel takes the least energy, with few measurements.
//
// The first clocks are the highest and others in even steps below it. The last lies half a step above the lowest, or is
// the lowest if that is at least 60 % of the highest. Then the valley of a parabola through the best clock and its
// measured neighbours says where to measure. If that clock is measured already, the middle of the wider gap beside the
// best clock is next. Energies over clocks have one valley, but measured ones are noisy, so the answer is always a
// clock that was measured.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

namespace wattune::inline v0_1::search {

// Measured energies by the positions of their clocks; the energy of a failed run is infinite.
using EnergyByClock = std::map<std::size_t, double>;

// Returns how many of `clocks` clocks a search measures: a third, but at least four and at most `most`.
std::size_t clocks_to_measure(std::size_t clocks, std::size_t most);

// Returns the position of the clock to measure next; nullopt if all of them are measured. `clocks` ascends, and
// `planned` is the number of clocks that will be measured in all.
std::optional<std::size_t> next_clock(std::span<const double> clocks, const EnergyByClock& measured,
                                      std::size_t planned);

}  // namespace wattune::search
