// Jiao's fifteen features of a kernel whose blocks were counted, for GPUs that keep their counters to themselves.
//
//   const auto block = schedule::count_block(*device, *kernel).value();   // ptx_profile.h
//   const auto features = simulate::features_of(block, blocks, time_alone, *simulate::find_gpu_model("H200"));
#pragma once

#include <cstdint>

#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/simulate/gpu_model.h"
#include "wattune/simulate/ptx_profile.h"

namespace wattune::simulate {

// Of a grid of so many blocks that takes so long. Rates are those of threads where the table counts operations, and of
// warps where it counts instructions. What the caches answer counts as L2's and DRAM's, so that these are upper bounds;
// texture transactions are 0, since kernels that sample are not counted. Precondition: a positive time.
model::KernelFeatures features_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time, const GpuModel& gpu);

}  // namespace wattune::simulate
