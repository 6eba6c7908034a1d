#include "wattune/tune/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/interface/clock_advisor.h"
#include "model/interface/same_clock.h"

namespace wattune::inline v0_1::tune {

namespace {

const search::ClockPoint* point_at(const MeasuredKernel& kernel, Megahertz clock) {
  const auto found = std::ranges::find_if(
      kernel.points, [&](const search::ClockPoint& each) { return model::same_clock(each.clock, clock); });
  return found == kernel.points.end() ? nullptr : &*found;
}

// Returns the clocks of the table at which every other kernel was measured, ascending.
Result<std::vector<Megahertz>> common_clocks(std::vector<Megahertz> table, const std::vector<MeasuredKernel>& others) {
  constexpr std::size_t kFewestClocks = 2;
  std::erase_if(table, [&](Megahertz clock) {
    return std::ranges::any_of(others, [&](const MeasuredKernel& each) { return point_at(each, clock) == nullptr; });
  });
  std::ranges::sort(table);
  table.erase(std::unique(table.begin(), table.end()), table.end());
  if (table.size() >= kFewestClocks) return table;
  return Error(ErrorCode::invalid_argument, "advice needs two clocks at which this and all other kernels were measured")
      .about(fmt::format("{} of them", table.size()));
}

model::ClockRun run_of(const search::ClockPoint& point, Megahertz clock) {
  return {clock, point.time, point.energy / point.time};
}

Result<model::ClockAdvisor> learn(const std::vector<MeasuredKernel>& others, const std::vector<Megahertz>& clocks) {
  std::vector<model::KernelOverClocks> known;
  for (const MeasuredKernel& each : others) {
    model::KernelOverClocks kernel{.group = each.name, .runs = {}};
    for (const Megahertz clock : clocks) kernel.runs.push_back(run_of(*point_at(each, clock), clock));
    known.push_back(std::move(kernel));
  }
  return model::ClockAdvisor::learn(known);
}

LikelyShare share_of(const model::Likely<double>& likely) { return {likely.expected, likely.low, likely.high}; }

Advice advice_of(const model::ClockAdvice& advice, std::vector<search::ClockPoint> measured) {
  Advice its{.clock = advice.at.clock,
             .is_measured = advice.at.measured,
             .time = share_of(advice.at.time),
             .energy = share_of(advice.at.energy),
             .chance = advice.chance,
             .regret = advice.regret,
             .measured = std::move(measured)};
  if (advice.next) its.next = NextMeasurement{advice.next->clock, advice.next->gain};
  return its;
}

}  // namespace

Result<Advice> advise(const MeasureAtClock& measure, const std::vector<Megahertz>& table,
                      const std::vector<MeasuredKernel>& others, const AdviceOptions& options) {
  if (options.clocks == 0) return Error(ErrorCode::invalid_argument, "advice measures one clock or more").about("0");
  WATTUNE_ASSIGN(const std::vector<Megahertz> clocks, common_clocks(table, others));
  WATTUNE_ASSIGN(const model::ClockAdvisor advisor, learn(others, clocks));
  const model::ClockGoal goal{.slowdown = options.slowdown, .power = options.power, .confidence = options.confidence};
  // For choosing clocks to measure, the confidence is 0, unlike for the clock that is advised: a measurement may show
  // that a clock keeps the limits.
  const model::ClockGoal any{.slowdown = options.slowdown, .power = options.power, .confidence = 0.0};
  model::KernelOverClocks kernel;
  std::vector<search::ClockPoint> measured;
  for (std::optional<Megahertz> next = clocks.back(); next && measured.size() < options.clocks;) {
    WATTUNE_ASSIGN(const search::ClockPoint point, measure(*next));
    measured.push_back(point);
    kernel.runs.push_back(run_of(point, *next));
    WATTUNE_ASSIGN(const model::ClockAdvice advice, advisor.advise(kernel, any));
    next = advice.next ? std::optional(advice.next->clock) : std::nullopt;
  }
  WATTUNE_ASSIGN(const model::ClockAdvice advice, advisor.advise(kernel, goal));
  return advice_of(advice, std::move(measured));
}

}  // namespace wattune::tune
