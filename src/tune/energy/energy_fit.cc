#include "tune/interface/energy_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "tune/interface/methods.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr double kClockWindowMargin = 0.10;
constexpr Megahertz kFineStep{1.0};
constexpr std::size_t kCurvePoints = 120;

// Returns evenly spaced clocks from the first clock of the sweep to the last.
std::vector<Megahertz> fine_table(const std::vector<search::ClockPoint>& sweep) {
  std::vector<Megahertz> table;
  for (Megahertz clock = sweep.front().clock; clock <= sweep.back().clock; clock += kFineStep) table.push_back(clock);
  return table;
}

// Finds the power at which the board is throttled. Recordings do not contain the power limit. If the power is the same
// at several clocks and higher at none, the board is throttled at these clocks. That holds only if the time does not
// change either. If the time still falls with the clock, the power merely stops rising.
std::optional<Watts> apparent_limit(const std::vector<search::ClockPoint>& sweep) {
  constexpr double kEqualPowerShare = 0.99;
  constexpr double kConstantTimeShare =
      0.25;  // largest gain of time as a share of the clock's rise; a kernel that only computes gains all of it
  const auto power = [](const search::ClockPoint& point) { return point.energy / point.time; };
  const Watts most = power(*std::ranges::max_element(sweep, {}, power));
  std::vector<search::ClockPoint> alike;
  std::ranges::copy_if(sweep, std::back_inserter(alike),
                       [&](const auto& each) { return power(each) >= kEqualPowerShare * most; });
  const double faster = alike.front().time / alike.back().time - 1.0;
  const bool stands = faster < kConstantTimeShare * (alike.back().clock / alike.front().clock - 1.0);
  return stands ? std::optional(most) : std::nullopt;
}

std::vector<model::PowerSample> power_samples(const std::vector<search::ClockPoint>& sweep) {
  std::vector<model::PowerSample> samples;
  for (const auto& [clock, time, energy] : sweep) samples.push_back({.clock = clock, .power = energy / time});
  return model::with_capped_marked(std::move(samples), apparent_limit(sweep));
}

std::vector<Megahertz> curve_clocks(const std::vector<search::ClockPoint>& sweep) {
  std::vector<Megahertz> clocks;
  const Megahertz step = (sweep.back().clock - sweep.front().clock) / static_cast<double>(kCurvePoints - 1);
  for (std::size_t i = 0; i < kCurvePoints; ++i) clocks.push_back(sweep.front().clock + step * static_cast<double>(i));
  return clocks;
}

Result<std::vector<EnergyAtClock>> curve_of(const EnergyFit& fit, const std::vector<model::PowerSample>& powers,
                                            const std::vector<Megahertz>& clocks) {
  WATTUNE_ASSIGN(const std::vector<model::PowerRange> likely, model::likely_power(powers, clocks));
  std::vector<EnergyAtClock> curve;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const Nanoseconds time = fit.time.at(clocks[i]);
    curve.push_back({clocks[i], fit.power.curve.at(clocks[i]) * time, likely[i].low * time, likely[i].high * time});
  }
  return curve;
}

// Returns the root of the mean squared error of the fit, as a share of the measured energies.
double relative_error(const EnergyFit& fit, const std::vector<search::ClockPoint>& sweep,
                      const std::vector<model::PowerSample>& powers) {
  double squares = 0.0;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    if (powers[i].capped) continue;
    const Joules fitted = model::operating_point(fit.power.curve, fit.time, sweep[i].clock).energy;
    squares += std::pow(fitted / sweep[i].energy - 1.0, 2);
  }
  return std::sqrt(squares / static_cast<double>(sweep.size() - fit.left_out));
}

// Returns the range of clocks worth tuning. It includes 10 % to either side of the clock of least energy, and the best
// clock of the sweep. It also includes all clocks whose fitted energy exceeds the least by no more than the error of
// the fit.
search::ClockRange window_of(const EnergyFit& fit, const std::vector<search::ClockPoint>& sweep,
                             const std::vector<model::PowerSample>& powers) {
  const Megahertz best = std::ranges::min_element(sweep, {}, &search::ClockPoint::energy)->clock;
  search::ClockRange window{std::min(best, fit.least.clock * (1.0 - kClockWindowMargin)),
                            std::max(best, fit.least.clock * (1.0 + kClockWindowMargin))};
  const Joules as_good = fit.least.energy * (1.0 + relative_error(fit, sweep, powers));
  for (const Megahertz clock : fine_table(sweep))
    if (model::operating_point(fit.power.curve, fit.time, clock).energy <= as_good)
      window = {std::min(window.low, clock), std::max(window.high, clock)};
  return window;
}

}  // namespace

Result<EnergyFit> fit_energy(const std::vector<search::ClockPoint>& sweep) {
  if (sweep.empty()) return Error(ErrorCode::invalid_argument, "no clock of the sweep has a time and an energy");
  const std::vector<model::PowerSample> powers = power_samples(sweep);
  EnergyFit fit;
  // If the board was throttled at a clock, the kernel did not run at that clock, so this point is left out.
  std::vector<model::TimeSample> times;
  for (std::size_t i = 0; i < sweep.size(); ++i)
    if (!powers[i].capped) times.push_back({sweep[i].clock, sweep[i].time});
  fit.left_out = sweep.size() - times.size();
  WATTUNE_ASSIGN(fit.power, model::fit_power_curve(powers));
  WATTUNE_ASSIGN(fit.time, model::fit_time_curve(times));
  WATTUNE_ASSIGN(fit.least, model::least_energy(fit.power.curve, fit.time, fine_table(sweep)));
  fit.steered = window_of(fit, sweep, powers);
  WATTUNE_ASSIGN(fit.curve, curve_of(fit, powers, curve_clocks(sweep)));
  return fit;
}

Result<search::ClockRange> steered_window(const std::vector<search::ClockPoint>& sweep) {
  const Result<EnergyFit> fit = fit_energy(sweep);
  return fit ? Result<search::ClockRange>(fit->steered) : search::window_around_least_energy(sweep);
}

}  // namespace wattune::tune
