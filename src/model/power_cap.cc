#include "model/interface/power_cap.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace wattune::inline v0_1::model {

namespace {

Error nothing_to_choose(const char* what) {
  return Error(ErrorCode::invalid_argument, fmt::format("there is no {} to choose from", what))
      .with_context("power cap");
}

Error unreachable(Watts cap) {
  return Error(ErrorCode::not_found, "the load draws more than the cap at every clock")
      .about(fmt::format("{} W", cap.value()))
      .hint("lock a clock instead")
      .with_context("power cap");
}

}  // namespace

Result<Megahertz> clock_under_cap(const PowerCurve& power, Watts cap, std::span<const Megahertz> table) {
  if (table.empty()) return nothing_to_choose("clock");
  std::optional<Megahertz> highest;
  for (const Megahertz clock : table)
    if (power.at(clock) <= cap && (!highest || clock > *highest)) highest = clock;
  if (!highest) return unreachable(cap);
  return *highest;
}

Result<CapChoice> best_cap(const PowerCurve& power, const TimeCurve& time, std::span<const Watts> caps,
                           std::span<const Megahertz> table) {
  if (caps.empty()) return nothing_to_choose("cap");
  if (table.empty()) return nothing_to_choose("clock");
  std::optional<CapChoice> best;
  for (const Watts cap : caps) {
    const auto clock = clock_under_cap(power, cap, table);
    if (!clock) continue;
    const OperatingPoint point = operating_point(power, time, *clock);
    if (!best || point.energy < best->point.energy || (point.energy == best->point.energy && cap > best->cap))
      best = CapChoice{cap, point};
  }
  if (!best) return unreachable(std::ranges::max(caps));
  return *best;
}

}  // namespace wattune::model
