// KernelFeatures holds the fifteen numbers by which Jiao et al. describe a kernel to their networks.
//
// The numbers are those of table 9 in Jiao, Lu, Huynh and Mitra, "Improving GPGPU Energy-Efficiency through Concurrent
// Kernel Execution and DVFS". They hold at the highest clocks, with as many blocks resident as an SM holds. All types
// are values, and any thread may call the functions.
//
//   model::KernelFeatures fma;
//   fma[model::Feature::instructions] = 9.9;   // GOPS
//   const auto pair = model::fuse({fma, 8}, {copy, 5}, {3, 5}, {.memory_bandwidth = 19.7});   // fused_features.h
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "wattune/core/export.h"

namespace wattune::inline v0_1::model {

// The features in the table's order. Rates are in 1e9 per second and in GB/s, utilisations from 0 to 1.
enum class Feature : std::size_t {
  single_precision,
  double_precision,
  special_functions,
  arithmetic_utilisation,
  shared_utilisation,  // utilisation of L1 and shared memory
  shared_throughput,
  shared_accesses,
  texture_transactions,
  l2_accesses,
  l2_throughput,
  dram_accesses,
  dram_throughput,
  instructions,             // instructions issued, the paper's GOPS
  load_store_instructions,  // instructions of warps that access global or shared memory
  global_transactions,      // transactions of 32 bytes
};
inline constexpr std::size_t kFeatures = 15;

WATTUNE_EXPORT std::string_view to_string(Feature feature);
// Finds a feature by its name; nullopt if no feature has this name.
WATTUNE_EXPORT std::optional<Feature> feature_named(std::string_view name);

// The features of one kernel.
struct WATTUNE_EXPORT KernelFeatures {
  std::array<double, kFeatures> values = {};

  double& operator[](Feature feature) { return values[static_cast<std::size_t>(feature)]; }
  double operator[](Feature feature) const { return values[static_cast<std::size_t>(feature)]; }
};

}  // namespace wattune::model
