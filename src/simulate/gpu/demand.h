// Demand is the sum of the work that a run gives to each part of a GPU, from counted or from simulated blocks. Use and
// features are computed from the demand alone, so that they mean the same for counted and simulated blocks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/interface/ptx_profile.h"
#include "simulate/interface/simulated_kernel.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

struct Demand {
  double issued = 0.0;  // warp instructions
  std::array<double, kPipes> pipes = {};
  double accesses = 0.0;  // warp instructions to global or shared memory
  double shared_bytes = 0.0;
  double l2_bytes = 0.0;
  double dram_bytes = 0.0;

  void add(const Demand& other);
};

Demand demand_of(const BlockCosts& block, std::uint64_t blocks);
// Returns the demand of this many warp instructions, with the cache hits that the kernel has when it runs alone.
Demand demand_of(const SimulatedKernel& kernel, double instructions);

// Computes use or features of a demand in this time, as use_of() and features_of() do for counted blocks.
std::vector<double> use_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu);
model::KernelFeatures features_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu);

}  // namespace wattune::simulate
