#include "dynamic/slowness.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace wattune::dynamic {

namespace {

constexpr std::size_t kRemembered = 64;
// What is not known counts as so many candidates.
constexpr double kWeightOfUnknown = 4.0;
constexpr std::size_t kEnough = 9;  // the largest of nine is exceeded by one in ten

}  // namespace

void Slowness::learn(double ratio) {
  if (ratios_.size() < kRemembered)
    ratios_.push_back(ratio);
  else
    ratios_[learned_ % kRemembered] = ratio;
  ++learned_;
}

double Slowness::average() const {
  const double sum = std::accumulate(ratios_.begin(), ratios_.end(), kUnknown * kWeightOfUnknown);
  return sum / (static_cast<double>(ratios_.size()) + kWeightOfUnknown);
}

double Slowness::bad() const {
  std::vector<double> sorted = ratios_;
  std::ranges::sort(sorted, std::greater<>());
  if (sorted.size() < kEnough) return sorted.empty() ? kUnknown : std::max(kUnknown, sorted.front());
  return sorted[(sorted.size() + 1) / 10 - 1];
}

}  // namespace wattune::dynamic
