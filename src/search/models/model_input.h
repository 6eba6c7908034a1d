// ModelInput: the numbers that models of the time get for a configuration: its values (Encoding) and, if used, the
// compiler's figures (FeatureColumns).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "search/models/encoding.h"
#include "search/models/feature_columns.h"

namespace wattune::inline v0_1::search {

class ModelInput {
 public:
  ModelInput(const space::SearchSpace& space, bool uses_features) : values_(space), uses_features_(uses_features) {}

  bool uses_features() const { return uses_features_; }
  const Encoding& values() const { return values_; }
  const FeatureColumns& features() const { return features_; }
  void learn(ConfigurationId id, const std::vector<Metric>& metrics) {
    if (uses_features_) features_.learn(id, metrics, values_.point(id));
  }

  // Returns the configuration's point of the Encoding, with one more coordinate for each feature.
  Coordinates point(ConfigurationId id) const {
    Coordinates point = values_.point(id);
    if (!uses_features_) return point;
    const FeatureColumns::Columns columns = features_.of(id, point);
    point.insert(point.end(), columns.begin(), columns.end());
    return point;
  }
  // Returns which of the point's coordinates are parameters of two values.
  std::vector<bool> flags() const {
    std::vector<bool> flags = values_.flags();
    if (uses_features_) flags.resize(flags.size() + FeatureColumns::kCount, false);
    return flags;
  }
  std::size_t width() const { return values_.width() + (uses_features_ ? FeatureColumns::kCount : 0); }
  void append_row(ConfigurationId id, std::vector<std::uint16_t>& rows) const {
    values_.append_row(id, rows);
    if (!uses_features_) return;
    for (const double column : features_.of(id, values_.point(id)))
      rows.push_back(static_cast<std::uint16_t>(std::lround(kSteps * column)));
  }

 private:
  static constexpr double kSteps = 200.0;  // number of steps of a feature, between which trees can split

  Encoding values_;
  FeatureColumns features_;
  bool uses_features_;
};

}  // namespace wattune::search
