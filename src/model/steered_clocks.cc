#include "model/interface/steered_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::model {

namespace {

Error unsteerable(std::string message, double number) {
  return Error(ErrorCode::invalid_argument, std::move(message))
      .about(fmt::format("{}", number))
      .with_context("steered clocks");
}

Megahertz nearest(const std::vector<Megahertz>& clocks, Megahertz wanted) {
  return *std::ranges::min_element(clocks, {}, [&](Megahertz clock) { return std::abs((clock - wanted).value()); });
}

bool is_clock(Megahertz clock) { return clock > Megahertz(0.0) && std::isfinite(clock.value()); }

}  // namespace

Result<std::vector<Megahertz>> steered_clocks(Megahertz ridge, std::span<const Megahertz> table,
                                              const Steering& steering) {
  if (table.empty()) return unsteerable("the clock table is empty", 0.0);
  if (!is_clock(ridge)) return unsteerable("the ridge is no clock", ridge.value());
  if (!(steering.share >= 0.0 && steering.share <= 1.0))
    return unsteerable("the share to either side is not from 0 to 1", steering.share);
  for (const Megahertz clock : table)
    if (!is_clock(clock)) return unsteerable("a clock of the table is not above 0", clock.value());
  std::vector<Megahertz> clocks(table.begin(), table.end());
  std::ranges::sort(clocks);
  clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
  Megahertz low = (1.0 - steering.share) * ridge;
  Megahertz high = (1.0 + steering.share) * ridge;
  if (steering.ends == RangeEnds::to_nearest) {
    low = nearest(clocks, low);
    high = nearest(clocks, high);
  }
  const Megahertz closest = nearest(clocks, ridge);
  std::erase_if(clocks, [&](Megahertz clock) { return clock < low || clock > high; });
  if (clocks.empty()) clocks.push_back(closest);
  return clocks;
}

}  // namespace wattune::model
