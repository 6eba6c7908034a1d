// What two kernels that run together look like to a model of one kernel, and what running one after the other would
// have come to.
//
// Jiao et al. (kernel_features.h), sections 6.2 and 6.3, with their printed errors corrected (docs/model.md). Pure
// functions of values; any thread may call.
//
//   const auto pair = model::fuse(matrix, bitonic, {4, 4}, {.memory_bandwidth = 19.7});
//   const auto alone = model::sequential_efficiency(matrix, bitonic, {4, 4}, {0.25, 0.12});
//   if (pair && alone && network.efficiency(pair->features) > *alone) run_together();
#pragma once

#include <array>
#include <span>

#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/model/kernel_features.h"

namespace wattune::model {

struct FusableKernel {
  KernelFeatures features = {};  // alone, at the highest clocks
  unsigned blocks = 1;           // N: resident on an SM; of a memory-bound kernel those that saturate the memory
};

enum class Equations { corrected, as_printed };

struct FusionOptions {
  double memory_bandwidth = 0.0;  // MB: the most that the GPU reaches, in GB/s
  Equations equations = Equations::corrected;
};

struct FusedFeatures {
  KernelFeatures features = {};      // X_ij (equation 3)
  std::array<double, 2> alpha = {};  // how much faster the blocks of each get, at least 1
  double beta = 1.0;                 // how much slower the memory then makes both, at most 1
};

// Features of the pair with so many blocks of each on an SM, at the highest clocks. invalid_argument: no blocks, a
// kernel that issues nothing, features that are negative or no numbers, no memory bandwidth.
Result<FusedFeatures> fuse(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio,
                           const FusionOptions& options);

// S_ij: operations per joule of both kernels one after the other, each at its own best clocks with `best` operations
// per joule, for the mix of work that the pair does together. It lies between the two. As above, and where `best` is
// not positive.
Result<double> sequential_efficiency(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio,
                                     std::array<double, 2> best, Equations equations = Equations::corrected);

// The fewest resident blocks that come within `slack` of the highest rate, given the rates with 1, 2 ... blocks: N of a
// memory-bound kernel, 5 instead of 8 for the paper's Samplerank. 0 where there are no rates.
unsigned saturating_blocks(std::span<const double> rates, double slack = 0.02);

}  // namespace wattune::model
