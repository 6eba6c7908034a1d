// Computes Jiao's fifteen features for a kernel from the counted costs of its blocks. It is meant for GPUs whose
// performance counters cannot be read.
//
//   const auto block = schedule::count_block(*device, *kernel).value();   // schedule/counted_use.h
//   const auto features = simulate::features_of(block, blocks, time_alone, *simulate::find_gpu_model("H200"));
#pragma once

#include <cstdint>

#include "simulate/interface/ptx_profile.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

// Computes the features of a grid of `blocks` blocks that takes `time`. Rates count threads where the table counts
// operations, and warps where it counts instructions. Accesses that caches answer are counted as accesses to L2 and
// DRAM, too, so these two numbers are upper bounds. Texture transactions are 0, since kernels that sample textures are
// not counted. Precondition: `time` is positive.
model::KernelFeatures features_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time, const GpuModel& gpu);

}  // namespace wattune::simulate
