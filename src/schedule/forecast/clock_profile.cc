#include "schedule/interface/clock_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/interface/clock_advisor.h"
#include "model/interface/power_curve.h"
#include "model/interface/time_curve.h"
#include "schedule/forecast/by_memory.h"
#include "schedule/forecast/power_window.h"
#include "schedule/interface/profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Largest relative difference between a fitting curve and a measurement. Repeated measurements differ by about as much.
constexpr double kLargestMisfit = 0.02;
// Largest step between clocks of a board. A board may report a clock one step beside the requested one.
constexpr Megahertz kLargestClockStep{15.0};
// Longest time until a board runs at a requested clock.
constexpr Nanoseconds kLongestClockLatency = nanoseconds_from_ms(400);

using Profiles = std::vector<std::vector<AtClock>>;

Result<void> set(backend::ClockControl& control, const backend::BoardSetting& clocks) {
  auto done = control.set(clocks);
  if (!done) return std::move(done).error().with_context("clock of " + describe(clocks));
  return {};
}

bool is_above(const std::optional<Megahertz>& found, const std::optional<Megahertz>& wanted) {
  return found && wanted && *found > *wanted + kLargestClockStep;
}

// Checks that the board does not run faster than it was set to, right after a run. A slower board is allowed, because
// heat may slow it down. Fails with unavailable.
Result<void> check_obeyed(backend::ClockControl& control, const backend::BoardSetting& clocks) {
  WATTUNE_ASSIGN(backend::BoardSetting found, control.current());
  if (!is_above(found.graphics, clocks.graphics) && !is_above(found.memory, clocks.memory)) return {};
  if (!found.graphics) found.graphics = clocks.graphics;
  if (!clocks.memory) found.memory.reset();
  return Error(ErrorCode::unavailable,
               fmt::format("the board was set to a clock of {}, but runs at {}", describe(clocks), describe(found)));
}

// Measures a kernel at one clock. The clock is set again before each kernel, because the guardian of a borrowed board
// expects regular calls.
Result<AtClock> measure(Machine& machine, backend::ClockControl& control, KernelId kernel,
                        const backend::BoardSetting& clocks, Watts idle, const ClockProfileOptions& options) {
  WATTUNE_TRY(set(control, clocks));
  WATTUNE_TRY(run_for(machine, kernel, options.window));
  WATTUNE_ASSIGN(const Watts power, run_for(machine, kernel, options.window));
  WATTUNE_TRY(check_obeyed(control, clocks));
  WATTUNE_ASSIGN(const Nanoseconds alone, time_alone(machine, kernel, options.rounds));
  return AtClock{
      .clock = *clocks.graphics, .alone = alone, .power = {.alone = power, .idle = idle}, .memory = clocks.memory};
}

// Measures a kernel at the clock of a known point, which the board may take some time to reach.
Result<AtClock> measure_as_known(Machine& machine, backend::ClockControl& control, KernelId kernel,
                                 const AtClock& known, const ClockProfileOptions& options) {
  WATTUNE_TRY(set(control, known.setting()));
  idle_for(machine, kLongestClockLatency);
  return measure(machine, control, kernel, known.setting(), known.power.idle, options);
}

// Measures the first kernels at all clocks: as many kernels as `profiles` has elements.
Result<void> measure_all(Machine& machine, backend::ClockControl& control, const ClockProfileOptions& options,
                         std::span<std::vector<AtClock>> profiles) {
  for (const backend::BoardSetting& clocks : options.clocks) {
    WATTUNE_TRY(set(control, clocks));
    idle_for(machine, std::max(options.window, kLongestClockLatency));
    const Watts idle = idle_for(machine, options.window);
    if (!(idle > Watts(0))) return no_energy();
    for (KernelId kernel = 0; kernel < profiles.size(); ++kernel) {
      WATTUNE_ASSIGN(const AtClock measured, measure(machine, control, kernel, clocks, idle, options));
      profiles[kernel].push_back(measured);
    }
  }
  return {};
}

// The points of a kernel at one memory clock, in ascending order of the core clocks.
using Row = std::span<const AtClock>;

model::KernelOverClocks over_clocks(const std::string& group, Row points) {
  model::KernelOverClocks kernel{.group = group, .runs = {}};
  for (const AtClock& point : points) kernel.runs.push_back({point.clock, point.alone, point.power.alone});
  return kernel;
}

std::vector<Row> rows_of(const std::vector<AtClock>& profile) { return by_memory(Row(profile)); }

// Returns an advisor that has learned from one row of each of these profiles, the one with index `row`. A row has the
// points at one memory clock.
Result<model::ClockAdvisor> advisor_of(const Machine& machine, std::span<const std::vector<AtClock>> known,
                                       std::size_t row) {
  std::vector<model::KernelOverClocks> kernels;
  for (KernelId kernel = 0; kernel < known.size(); ++kernel)
    kernels.push_back(over_clocks(machine.kernel(kernel)->name, rows_of(known[kernel])[row]));
  return model::ClockAdvisor::learn(kernels);
}

// Returns a kernel's points at the clocks of the row `known`: at each clock the measured point if there is one, and
// otherwise an estimate. Precondition: the first of `measured` is at the highest clock.
Result<std::vector<AtClock>> with_estimates(Row known, const std::vector<AtClock>& measured,
                                            const model::ClockAdvisor& advisor) {
  WATTUNE_ASSIGN(const auto estimates, advisor.estimate(over_clocks({}, measured)));
  const AtClock& highest = measured.front();
  std::vector<AtClock> points;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto its = std::ranges::find(measured, known[i].clock, &AtClock::clock);
    if (its != measured.end()) {
      points.push_back(*its);
      continue;
    }
    const Nanoseconds alone = estimates[i].time.expected * highest.alone;
    const Joules energy = estimates[i].energy.expected * highest.energy();
    points.push_back({.clock = known[i].clock,
                      .alone = alone,
                      .power = {.alone = energy / alone, .idle = known[i].power.idle},
                      .memory = known[i].memory,
                      .is_estimated = true});
  }
  return points;
}

// Measures a kernel at some clocks of the row `known`, at least two, until the best clock is a measured one.
Result<std::vector<AtClock>> measure_advised(Machine& machine, backend::ClockControl& control, KernelId kernel,
                                             Row known, const model::ClockAdvisor& advisor,
                                             const ClockProfileOptions& options) {
  KernelTraits traits = *machine.kernel(kernel);
  std::vector<AtClock> measured;
  for (Megahertz next = known.back().clock;;) {
    const AtClock& there = *std::ranges::find(known, next, &AtClock::clock);
    WATTUNE_ASSIGN(const AtClock point, measure_as_known(machine, control, kernel, there, options));
    measured.push_back(point);
    WATTUNE_ASSIGN(traits.at_clocks, with_estimates(known, measured, advisor));
    const AtClock* const best = traits.at(best_clocks(traits, options.objective));
    if (best != nullptr && best->is_estimated) {
      next = best->clock;
      continue;
    }
    if (measured.size() > 1) return traits.at_clocks;
    WATTUNE_ASSIGN(const model::ClockAdvice advice, advisor.advise(over_clocks({}, measured)));
    next = advice.next->clock;
  }
}

// Measures a kernel at few clocks of each row of the known profiles. At rows with few clocks, or without an advisor,
// all clocks are measured.
Result<std::vector<AtClock>> profile_like(std::span<const std::vector<AtClock>> known, Machine& machine,
                                          backend::ClockControl& control, KernelId kernel,
                                          const ClockProfileOptions& options) {
  constexpr std::size_t kFewestClocks = 5;  // rows with fewer clocks are measured completely
  std::vector<AtClock> profile;
  const std::vector<Row> rows = rows_of(known.front());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto advisor = advisor_of(machine, known, row);
    if (advisor && rows[row].size() >= kFewestClocks) {
      WATTUNE_ASSIGN(const auto points, measure_advised(machine, control, kernel, rows[row], *advisor, options));
      profile.insert(profile.end(), points.begin(), points.end());
      continue;
    }
    for (const AtClock& there : rows[row]) {
      WATTUNE_ASSIGN(const AtClock point, measure_as_known(machine, control, kernel, there, options));
      profile.push_back(point);
    }
  }
  return profile;
}

// Measures the first kernels at all clocks, and then the other kernels at few clocks.
Result<void> measure_each(Machine& machine, backend::ClockControl& control, const ClockProfileOptions& options,
                          Profiles& profiles) {
  constexpr std::size_t kKnownKernels = 6;  // kernels enough to be within 1 % of the best (docs/results/frugal.md)
  const std::span known = std::span(profiles).first(std::min(kKnownKernels, profiles.size()));
  WATTUNE_TRY(measure_all(machine, control, options, known));
  for (KernelId kernel = known.size(); kernel < profiles.size(); ++kernel) {
    WATTUNE_ASSIGN(profiles[kernel], profile_like(known, machine, control, kernel, options));
  }
  return {};
}

// True if the curve over the clock differs from the measurement at each clock by at most kLargestMisfit.
template <typename Curve, typename Measured>
bool fits(std::span<const AtClock> profile, const Curve& curve, Measured measured) {
  return std::ranges::all_of(profile, [&](const AtClock& point) {
    return std::abs(curve.at(point.clock) / measured(point) - 1.0) <= kLargestMisfit;
  });
}

// Replaces measured times and powers at one memory clock by values on fitted curves, if the curves fit.
void smooth(std::span<AtClock> profile) {
  std::vector<model::TimeSample> times;
  std::vector<model::PowerSample> powers;
  for (const AtClock& point : profile) {
    times.push_back({point.clock, point.alone});
    powers.push_back({point.clock, point.power.alone});
  }
  const auto time = model::fit_time_curve(times);
  if (time && fits(profile, *time, [](const AtClock& point) { return point.alone; }))
    for (AtClock& point : profile) point.alone = time->at(point.clock);
  const auto power = model::fit_power_curve(powers);
  if (power && fits(profile, power->curve, [](const AtClock& point) { return point.power.alone; }))
    for (AtClock& point : profile) point.power.alone = power->curve.at(point.clock);
}

Result<Profiles> empty_profiles(const Machine& machine) {
  Profiles profiles;
  for (KernelId id = 0; const KernelTraits* const traits = machine.kernel(id); ++id) {
    if (!traits->alone)
      return Error(ErrorCode::invalid_argument, "the time of this kernel alone is unknown").about(traits->name);
    profiles.emplace_back();
  }
  return profiles;
}

}  // namespace

Result<Profiles> profile_at_clocks(Machine& machine, backend::ClockControl& control,
                                   const ClockProfileOptions& options) {
  WATTUNE_ASSIGN(Profiles profiles, empty_profiles(machine));
  auto measured = measure_each(machine, control, options, profiles);
  auto restored = control.restore();
  if (!measured) return std::move(measured).error();
  if (!restored) return std::move(restored).error();
  for (std::vector<AtClock>& profile : profiles)
    for (const std::span<AtClock> part : by_memory(std::span(profile)))
      if (std::ranges::none_of(part, &AtClock::is_estimated)) smooth(part);
  return profiles;
}

double cost_alone(const AtClock& point, Goal goal) {
  switch (goal) {
    case Goal::throughput: return point.alone.value();
    case Goal::energy: return point.energy().value();
    case Goal::energy_delay: return point.energy().value() * point.alone.value();
  }
  return point.alone.value();
}

bool keeps_limits(const AtClock& point, const KernelTraits& kernel, const Objective& objective) {
  if (objective.power_cap && point.power.alone > *objective.power_cap) return false;
  return !objective.most_slowdown || (kernel.alone && point.alone <= (1.0 + *objective.most_slowdown) * *kernel.alone);
}

std::optional<backend::BoardSetting> best_clocks(const KernelTraits& kernel, const Objective& objective) {
  const AtClock* best = nullptr;
  for (const AtClock& point : kernel.at_clocks) {
    if (!keeps_limits(point, kernel, objective)) continue;
    if (best == nullptr || cost_alone(point, objective.goal) <= cost_alone(*best, objective.goal)) best = &point;
  }
  if (best == nullptr) return std::nullopt;
  return best->setting();
}

}  // namespace wattune::schedule
