#include "wattune/model/kernel_features.h"

#include <algorithm>

namespace wattune::inline v0_1::model {

namespace {

constexpr std::array<std::string_view, kFeatures> kNames = {
    "single_precision",   "double_precision",        "special_functions",  "arithmetic_utilisation",
    "shared_utilisation", "shared_throughput",       "shared_accesses",    "texture_transactions",
    "l2_accesses",        "l2_throughput",           "dram_accesses",      "dram_throughput",
    "instructions",       "load_store_instructions", "global_transactions"};

}  // namespace

std::string_view to_string(Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }

std::optional<Feature> feature_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Feature>(found - kNames.begin());
}

}  // namespace wattune::model
