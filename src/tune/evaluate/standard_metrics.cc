#include "tune/interface/standard_metrics.h"

#include <algorithm>

namespace wattune::inline v0_1::tune {

namespace {

constexpr StandardMetric kStandard[] = {{"power", "energy / time", "W"},
                                        {"edp", "energy * time", "J s"},
                                        {"ed2p", "energy * time * time", "J s^2"},
                                        {"operations_per_joule", "operations / energy", "1/J"}};

}  // namespace

std::span<const StandardMetric> standard_metrics() { return kStandard; }

const StandardMetric* find_standard_metric(std::string_view name) {
  const auto* const found = std::ranges::find(kStandard, name, &StandardMetric::name);
  return found == std::end(kStandard) ? nullptr : found;
}

}  // namespace wattune::tune
