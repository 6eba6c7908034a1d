#include "wattune/tune/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/interface/clock_advisor.h"
#include "model/interface/same_clock.h"

namespace wattune::inline v0_1::tune {

namespace {

const search::ClockPoint* point_at(const std::vector<search::ClockPoint>& points, Megahertz clock) {
  const auto found = std::ranges::find_if(
      points, [&](const search::ClockPoint& each) { return model::same_clock(each.clock, clock); });
  return found == points.end() ? nullptr : &*found;
}

// Returns those clocks of the table at which every other kernel was measured, in ascending order.
Result<std::vector<Megahertz>> common_clocks(std::vector<Megahertz> table, const std::vector<MeasuredKernel>& others) {
  constexpr std::size_t kFewestClocks = 2;
  std::erase_if(table, [&](Megahertz clock) {
    return std::ranges::any_of(others,
                               [&](const MeasuredKernel& each) { return point_at(each.points, clock) == nullptr; });
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
    for (const Megahertz clock : clocks) kernel.runs.push_back(run_of(*point_at(each.points, clock), clock));
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

// Returns the clock to measure after these points. Returns nullopt if the clock that is advised has been measured.
Result<std::optional<Megahertz>> clock_after(const std::vector<search::ClockPoint>& points,
                                             const model::ClockAdvisor& advisor) {
  constexpr std::size_t kFewestClocks = 2;
  constexpr std::size_t kMostClocks = 4;    // most clocks before the advised clock is measured
  constexpr double kLargestRegret = 0.005;  // largest regret, as a share of the energy
  model::KernelOverClocks kernel;
  for (const Megahertz clock : advisor.clocks())
    if (const search::ClockPoint* const point = point_at(points, clock)) kernel.runs.push_back(run_of(*point, clock));
  const std::size_t measured = kernel.runs.size();
  const Megahertz highest = advisor.clocks().back();
  if (measured == 0 || kernel.runs.back().clock != highest) return std::optional<Megahertz>(highest);
  WATTUNE_ASSIGN(const model::ClockAdvice advice, advisor.advise(kernel));
  const bool is_unsure = measured < kFewestClocks || (measured < kMostClocks && advice.regret > kLargestRegret);
  if (is_unsure && advice.next) return std::optional<Megahertz>(advice.next->clock);
  if (advice.at.measured || measured > kMostClocks) return std::optional<Megahertz>();
  return std::optional<Megahertz>(advice.at.clock);
}

}  // namespace

Result<Advice> advise(const MeasureAtClock& measure, const std::vector<Megahertz>& table,
                      const std::vector<MeasuredKernel>& others, const AdviceOptions& options) {
  if (options.clocks == 0) return Error(ErrorCode::invalid_argument, "advice measures one clock or more").about("0");
  WATTUNE_ASSIGN(const std::vector<Megahertz> clocks, common_clocks(table, others));
  WATTUNE_ASSIGN(const model::ClockAdvisor advisor, learn(others, clocks));
  const model::ClockGoal goal{.slowdown = options.slowdown, .power = options.power, .confidence = options.confidence};
  // To choose the clocks that are measured, the confidence is 0, since a measurement may show that a clock is within
  // the limits. For the clock that is advised, the user's confidence counts.
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

Result<search::AdvisedClock> advised_clock(const std::vector<Megahertz>& table,
                                           const std::vector<MeasuredKernel>& others) {
  WATTUNE_ASSIGN(const std::vector<Megahertz> clocks, common_clocks(table, others));
  WATTUNE_ASSIGN(const model::ClockAdvisor advisor, learn(others, clocks));
  return search::AdvisedClock(
      [advisor](const std::vector<search::ClockPoint>& points) { return clock_after(points, advisor); });
}

}  // namespace wattune::tune
