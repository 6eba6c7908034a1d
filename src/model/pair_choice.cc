#include "wattune/model/pair_choice.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::model {

namespace {

constexpr double kRounding = 1e-9;  // a difference counts as equal to its threshold up to this error
constexpr int kMostHalvings = 40;   // after this many halvings of the thresholds, utilisations count as equal

std::vector<Pair> all_pairs(std::size_t kernels) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < kernels; ++i)
    for (std::size_t j = i + 1; j < kernels; ++j) pairs.emplace_back(i, j);
  return pairs;
}

double difference(std::span<const Utilisation> kernels, const Pair& pair, double Utilisation::*which) {
  return std::abs(kernels[pair.first].*which - kernels[pair.second].*which);
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto below = std::lround(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::clamp<long>(below - 1, 0, static_cast<long>(values.size()) - 1))];
}

std::pair<std::string, std::string> unordered(const std::string& first, const std::string& second) {
  return std::minmax(first, second);
}

}  // namespace

std::vector<Pair> distinct_pairs(std::span<const Utilisation> kernels, const PruningThresholds& thresholds) {
  std::vector<Pair> pairs = all_pairs(kernels.size());
  std::erase_if(pairs, [&](const Pair& pair) {
    return difference(kernels, pair, &Utilisation::pipeline) <= thresholds.pipeline + kRounding &&
           difference(kernels, pair, &Utilisation::memory) <= thresholds.memory + kRounding;
  });
  return pairs;
}

std::vector<Pair> promising_pairs(std::span<const Utilisation> kernels, PruningThresholds thresholds) {
  for (int halvings = 0; halvings < kMostHalvings; ++halvings) {
    std::vector<Pair> pairs = distinct_pairs(kernels, thresholds);
    if (!pairs.empty()) return pairs;
    thresholds = {thresholds.pipeline / 2.0, thresholds.memory / 2.0};
  }
  return all_pairs(kernels.size());
}

PruningThresholds thresholds_of(std::span<const Utilisation> kernels, double pipeline_share, double memory_share) {
  if (kernels.size() < 2) return {};
  std::vector<double> of_pipeline;
  std::vector<double> of_memory;
  for (const Pair& pair : all_pairs(kernels.size())) {
    of_pipeline.push_back(difference(kernels, pair, &Utilisation::pipeline));
    of_memory.push_back(difference(kernels, pair, &Utilisation::memory));
  }
  return {quantile(std::move(of_pipeline), pipeline_share), quantile(std::move(of_memory), memory_share)};
}

double packing_bound(std::span<const SoloRun> kernels) {
  double total = 0.0;
  std::vector<double> busy;
  for (const SoloRun& kernel : kernels) {
    total += kernel.time.value();
    if (busy.size() < kernel.use.size()) busy.resize(kernel.use.size(), 0.0);
    for (std::size_t i = 0; i < kernel.use.size(); ++i) busy[i] += kernel.time.value() * kernel.use[i];
  }
  double longest = 0.0;
  for (const SoloRun& kernel : kernels) longest = std::max(longest, kernel.time.value());
  for (const double each : busy) longest = std::max(longest, each);
  return longest > 0.0 ? total / longest : 1.0;
}

double spatial_bound(double saturating_share) { return 2.0 - std::clamp(saturating_share, 0.0, 1.0); }

void PairCorrection::observe(const std::string& first, const std::string& second, double predicted, double measured) {
  if (!(predicted > 0.0 && measured > 0.0)) return;
  const auto [entry, is_new] = factors_.try_emplace(unordered(first, second), measured / predicted);
  if (!is_new) entry->second += weight_ * (measured / predicted - entry->second);
}

bool PairCorrection::knows(const std::string& first, const std::string& second) const {
  return factors_.contains(unordered(first, second));
}

double PairCorrection::factor(const std::string& first, const std::string& second) const {
  const auto found = factors_.find(unordered(first, second));
  return found == factors_.end() ? 1.0 : found->second;
}

}  // namespace wattune::model
