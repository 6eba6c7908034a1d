#include "power/window_series.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::power {

namespace {

// Tolerances within which windows can be compared: energy depends on the clock and, through leakage, on the
// temperature.
constexpr Megahertz kClockStep{15.0};
constexpr double kEqualCelsius = 4.0;  // 2 degrees to either side
constexpr std::size_t kMostRejectedWindows = 3;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

// True if the clock is not the requested one. A clock that power or heat holds down does not count as another clock,
// because the kernel always runs like that.
bool is_off(std::optional<Megahertz> clock, const BoardConditions& board) {
  if (!clock || !board.clock || board.throttled > 0.0) return false;
  return std::abs((*board.clock - *clock).value()) > kClockStep.value();
}

}  // namespace

// Computes half of the 95 % interval: 1.96 standard errors of the median. The standard error of a median is 1.253 times
// that of a mean, and a standard deviation is 1.483 median absolute deviations.
std::optional<double> spread_of(const std::vector<WindowFigures>& windows) {
  if (windows.size() < 3) return std::nullopt;
  std::vector<double> energies;
  for (const WindowFigures& each : windows) energies.push_back(each.cost.energy.value.value());
  const double middle = median(energies);
  for (double& each : energies) each = std::abs(each - middle);
  return 1.96 * 1.253 * 1.483 * median(energies) / std::sqrt(static_cast<double>(windows.size())) / middle;
}

Result<void> WindowSeries::measure() {
  const Nanoseconds begin = recorder_.now();
  for (double run = 1.0; !is_enough(); ++run) {
    const Heat heat = run == 1.0 ? Heat::steady : Heat::any;
    WATTUNE_ASSIGN(WindowFigures window, measure_window(recorder_, run_, options_, heat, shows_enough_));
    const Nanoseconds spent = recorder_.now() - begin;
    const bool accepted = is_accepted(window.conditions);
    const bool last = spent + spent / run > options_.budget || rejected_.count() > kMostRejectedWindows;
    rejected_.used = !accepted && last && windows_.empty();
    if (accepted || rejected_.used) windows_.push_back(std::move(window));
    if (last) break;
  }
  return {};
}

bool WindowSeries::is_enough() const {
  if (windows_.size() >= std::max<std::size_t>(options_.windows, 1)) return true;
  if (!windows_.empty() && windows_.back().ended_after) return true;
  const std::optional<double> spread = spread_of(windows_);
  return spread && *spread <= options_.precision;
}

bool WindowSeries::is_accepted(const BoardConditions& board) {
  const std::size_t before = rejected_.count();
  if (is_off(options_.clock, board))
    ++rejected_.clock;
  else if (board.throttled > 0.0 && !board.throttled_before)
    ++rejected_.throttled;
  else if (!is_alike(board))
    ++rejected_.temperature;
  return rejected_.count() == before;
}

bool WindowSeries::is_alike(const BoardConditions& board) const {
  if (!board.lowest_temperature) return true;
  Celsius lowest = *board.lowest_temperature;
  Celsius highest = *board.highest_temperature;
  for (const WindowFigures& each : windows_) {
    lowest = std::min(lowest, each.conditions.lowest_temperature.value_or(lowest));
    highest = std::max(highest, each.conditions.highest_temperature.value_or(highest));
  }
  return (highest - lowest).value() <= kEqualCelsius;
}

}  // namespace wattune::power
