// Searches for minima and bounds in one dimension.
#pragma once

#include <algorithm>

namespace wattune::inline v0_1::model {

inline constexpr int kNarrowingSteps = 24;  // steps that narrow an interval; each leaves 62 % of it

// Returns the argument between low and high at which `value` is least. It takes the best point of a grid of `steps`,
// and refines it between the neighbouring points by golden sections.
template <typename Function>
double minimum_on_grid(const Function& value, double low, double high, int steps) {
  const double step = (high - low) / steps;
  double best = low;
  double least = value(low);
  for (int i = 1; i <= steps; ++i) {
    const double here = value(low + step * i);
    if (here < least) least = here, best = low + step * i;
  }
  constexpr double kGoldenRatio = 0.6180339887498949;
  double from = std::max(low, best - step);
  double to = std::min(high, best + step);
  for (int i = 0; i < kNarrowingSteps; ++i) {
    const double left = to - kGoldenRatio * (to - from);
    const double right = from + kGoldenRatio * (to - from);
    if (value(left) <= value(right))
      to = right;
    else
      from = left;
  }
  const double refined = (from + to) / 2.0;
  return value(refined) < least ? refined : best;
}

// Returns the furthest point from `inside` towards `end` up to which `holds` is true, found by bisection. Precondition:
// it is true at `inside`.
template <typename Predicate>
double last_where(const Predicate& holds, double inside, double end) {
  if (holds(end)) return end;
  double outside = end;
  for (int i = 0; i < kNarrowingSteps; ++i) {
    const double middle = (inside + outside) / 2.0;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace wattune::model
