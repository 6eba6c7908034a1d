// Which clocks a model-steered method tunes at.
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

}  // namespace

Result<search::ClockRange> steered_window(const std::vector<search::ClockPoint>& sweep) {
  std::vector<model::PowerSample> powers;
  std::vector<model::TimeSample> times;
  for (const auto& [clock, time, energy] : sweep) {
    powers.push_back({.clock = clock, .power = energy / time});
    times.push_back({clock, time});
  }
  const auto power = model::fit_power_curve(powers);
  const auto time = model::fit_time_curve(times);
  if (!power || !time) return search::window_around_least_energy(sweep);
  WATTUNE_ASSIGN(const model::OperatingPoint best, model::least_energy(power->curve, *time, fine_table(sweep)));
  return search::ClockRange{best.clock * (1.0 - kMargin), best.clock * (1.0 + kMargin)};
}

}  // namespace wattune::tune
