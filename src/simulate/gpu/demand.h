// Demand: what a run asks of a GPU, whether its blocks were counted or simulated. How busy it keeps the GPU and its
// features follow from it alone, so that both mean the same of either kind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/simulate/gpu_model.h"
#include "wattune/simulate/ptx_profile.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

struct Demand {
  double issued = 0.0;  // instructions of warps,
  std::array<double, kPipes> pipes = {};
  double accesses = 0.0;  // those to global or shared memory
  double shared_bytes = 0.0;
  double l2_bytes = 0.0;
  double dram_bytes = 0.0;

  void add(const Demand& other);
};

Demand demand_of(const BlockCosts& block, std::uint64_t blocks);
// Of so many instructions of its warps, with the hits that it has alone.
Demand demand_of(const SimulatedKernel& kernel, double instructions);

// In so much time; as use_of() and features_of() of blocks that were counted.
std::vector<double> use_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu);
model::KernelFeatures features_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu);

}  // namespace wattune::simulate
