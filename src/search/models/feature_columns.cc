#include "search/models/feature_columns.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace wattune::inline v0_1::search {

namespace {

constexpr double kUnknown = 0.5;
// Number of the latest outcomes with which a new one is compared. Because of this limit, proposals do not take longer
// with each outcome.
constexpr std::size_t kMostComparedOutcomes = 500;

// A range of amounts of a resource that are told apart: the smallest amount, and the number of doublings up to the
// largest.
struct Range {
  double least;
  double octaves;
};
constexpr Range kRegisters{8.0, 5.0};        // up to 256 registers, more than a work-item can have
constexpr Range kPrivateBytes{4.0, 8.0};     // from one register (4 bytes) to 1 KiB
constexpr Range kLocalBytes{256.0, 10.0};    // up to 256 KiB, more than any multiprocessor has
constexpr Range kBinaryBytes{1024.0, 10.0};  // up to 1 MiB

std::optional<double> amount_of(std::span<const Metric> metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() || !std::isfinite(found->value) ? std::nullopt : std::optional(found->value);
}

std::optional<double> local_bytes_of(std::span<const Metric> metrics) {
  const std::optional<double> declared = amount_of(metrics, "static_local_memory");
  const std::optional<double> given = amount_of(metrics, "dynamic_local_memory");
  return declared || given ? std::optional(declared.value_or(0.0) + given.value_or(0.0)) : std::nullopt;
}

double share(const std::optional<double>& amount, const Range& range) {
  if (!amount) return kUnknown;
  return std::clamp(std::log2(std::max(*amount, range.least) / range.least) / range.octaves, 0.0, 1.0);
}

FeatureColumns::Columns columns_of(std::span<const Metric> metrics) {
  return {share(amount_of(metrics, "registers"), kRegisters),
          share(amount_of(metrics, "private_memory"), kPrivateBytes), share(local_bytes_of(metrics), kLocalBytes),
          share(amount_of(metrics, "binary_size"), kBinaryBytes),
          std::clamp(amount_of(metrics, "occupancy").value_or(kUnknown), 0.0, 1.0)};
}

}  // namespace

void FeatureColumns::learn(ConfigurationId id, std::span<const Metric> metrics, Coordinates point) {
  if (!places_.try_emplace(id, known_.size()).second) return;
  const double private_bytes = amount_of(metrics, "private_memory").value_or(0.0);
  known_.push_back({std::move(point), columns_of(metrics), private_bytes});
  least_private_bytes_ = std::min(least_private_bytes_, private_bytes);
}

FeatureColumns::Columns FeatureColumns::of(ConfigurationId id, const Coordinates& point) const {
  if (const auto found = places_.find(id); found != places_.end()) return known_[found->second].columns;
  return known_.empty() ? columns_of({}) : nearest(point).columns;
}

const FeatureColumns::Known& FeatureColumns::nearest(const Coordinates& point) const {
  const auto compared = std::span(known_).last(std::min(known_.size(), kMostComparedOutcomes));
  return *std::ranges::min_element(compared, {},
                                   [&](const Known& each) { return squared_distance(each.point, point); });
}

}  // namespace wattune::search
