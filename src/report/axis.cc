#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::report {

namespace {

// Returns the step that cuts `range` into at most `wanted` pieces: 1, 2 or 5 times a power of ten.
double round_step(double range, std::size_t wanted) {
  const double rough = range / static_cast<double>(std::max<std::size_t>(wanted, 1));
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

// Returns 1, 2 and 5 times each power of ten, or the powers alone if these are too many ticks.
std::vector<double> logarithmic_ticks(double low, double high, std::size_t wanted) {
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const auto in_range = [&](double value) { return value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9); };
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; ++exponent)
    for (const double factor : {1.0, 2.0, 5.0})
      if (const double value = factor * std::pow(10.0, exponent); in_range(value)) ticks.push_back(value);
  if (ticks.size() <= wanted) return ticks;
  const int stride = std::max(1, static_cast<int>(std::ceil((last - first + 1) / static_cast<double>(wanted))));
  ticks.clear();
  for (int exponent = first; exponent <= last; exponent += stride)
    if (const double value = std::pow(10.0, exponent); in_range(value)) ticks.push_back(value);
  return ticks;
}

std::vector<double> linear_ticks(double low, double high, std::size_t wanted) {
  std::vector<double> ticks;
  const double step = round_step(high - low, wanted);
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push_back(i * step);
  return ticks;
}

}  // namespace

Axis Axis::of_times(double low, double high) {
  if (high > 10 * low) return Axis(low, high, true);
  // A margin, since the axis would have a length of 0 if all values were equal.
  const double margin = std::max((high - low) * 0.05, low * 0.005);
  return Axis(low - margin, high + margin, false);
}

Axis Axis::linear(double low, double high) { return Axis(low, high > low ? high : low + 1, false); }

double Axis::position(double value) const {
  if (logarithmic_) return std::log(value / low_) / std::log(high_ / low_);
  return (value - low_) / (high_ - low_);
}

std::vector<double> Axis::ticks(std::size_t wanted) const {
  return logarithmic_ ? logarithmic_ticks(low_, high_, wanted) : linear_ticks(low_, high_, wanted);
}

std::string tick_text(double value) {
  // Twelve digits hide rounding errors, such as 0.30000000000000004 after three steps of 0.1.
  if (value == 0.0) return "0";  // instead of -0
  return std::abs(value) < 1e15 && std::abs(value) >= 1e-4 ? fmt::format("{:.12g}", value) : fmt::format("{:g}", value);
}

}  // namespace wattune::report
