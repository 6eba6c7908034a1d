#include "dynamic/tuning/slowness.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr std::size_t kRatios = 64;
// Weight of the assumed slowness before any slowness is known, as a number of candidates.
constexpr double kWeightOfUnknown = 4.0;
constexpr std::size_t kRatiosForBound = 9;  // one in ten exceeds the largest of nine

}  // namespace

void Slowness::learn(double ratio) {
  if (ratios_.size() < kRatios)
    ratios_.push_back({ratio});
  else
    ratios_[learned_ % kRatios] = {ratio};
  ++learned_;
}

double Slowness::average() const {
  const double sum = std::accumulate(ratios_.begin(), ratios_.end(), kUnknownSlowness * kWeightOfUnknown,
                                     [](double so_far, const Ratio& each) { return so_far + each.value; });
  return sum / (static_cast<double>(ratios_.size()) + kWeightOfUnknown);
}

double Slowness::bad() const {
  std::vector<double> sorted = unforgiven();
  std::ranges::sort(sorted, std::greater<>());
  if (sorted.size() < kRatiosForBound)
    return sorted.empty() ? kUnknownSlowness : std::max(kUnknownSlowness, sorted.front());
  return sorted[(sorted.size() + 1) / 10 - 1];
}

std::vector<double> Slowness::unforgiven() const {
  std::vector<double> values;
  for (const Ratio& each : ratios_)
    if (!each.forgiven) values.push_back(each.value);
  return values;
}

bool Slowness::forgive_worst() {
  Ratio* worst = nullptr;
  for (Ratio& each : ratios_)
    if (!each.forgiven && each.value > kUnknownSlowness && (worst == nullptr || each.value > worst->value))
      worst = &each;
  if (worst != nullptr) worst->forgiven = true;
  return worst != nullptr;
}

}  // namespace wattune::dynamic
