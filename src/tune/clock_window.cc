// Which clocks a model-steered method tunes at.
#include <algorithm>
#include <optional>

#include "wattune/model/power_curve.h"
#include "wattune/model/time_curve.h"
#include "wattune/tune/methods.h"

namespace wattune::tune {

namespace {

constexpr double kMargin = 0.10;
constexpr Megahertz kFineStep{1.0};

// Between the ends of the sweep, ascending.
std::vector<Megahertz> fine_table(const std::vector<search::ClockPoint>& sweep) {
  std::vector<Megahertz> table;
  for (Megahertz clock = sweep.front().clock; clock <= sweep.back().clock; clock += kFineStep) table.push_back(clock);
  return table;
}

// Recordings tell no limit: a board that draws the same at several clocks, and nowhere more, is held back there.
std::optional<Watts> apparent_limit(const std::vector<model::PowerSample>& samples) {
  constexpr double kSame = 0.99;
  const Watts most = std::ranges::max(samples, {}, &model::PowerSample::power).power;
  const auto alike = std::ranges::count_if(samples, [&](const auto& each) { return each.power >= kSame * most; });
  return alike > 1 ? std::optional(most) : std::nullopt;
}

std::vector<model::PowerSample> power_samples(const std::vector<search::ClockPoint>& sweep) {
  std::vector<model::PowerSample> samples;
  for (const auto& [clock, time, energy] : sweep) samples.push_back({.clock = clock, .power = energy / time});
  const std::optional<Watts> limit = apparent_limit(samples);
  return model::with_capped_marked(std::move(samples), limit);
}

}  // namespace

Result<search::ClockRange> steered_window(const std::vector<search::ClockPoint>& sweep) {
  if (sweep.empty()) return search::window_around_least_energy(sweep);
  const std::vector<model::PowerSample> powers = power_samples(sweep);
  // A clock that did not run says nothing of the time.
  std::vector<model::TimeSample> times;
  for (std::size_t i = 0; i < sweep.size(); ++i)
    if (!powers[i].capped) times.push_back({sweep[i].clock, sweep[i].time});
  const auto power = model::fit_power_curve(powers);
  const auto time = model::fit_time_curve(times);
  if (!power || !time) return search::window_around_least_energy(sweep);
  WATTUNE_ASSIGN(const model::OperatingPoint best, model::least_energy(power->curve, *time, fine_table(sweep)));
  return search::ClockRange{best.clock * (1.0 - kMargin), best.clock * (1.0 + kMargin)};
}

}  // namespace wattune::tune
