// Computes the features of two kernels that run together, in the form of a single kernel's. Also computes the
// efficiency of running the two one after the other.
//
// The equations are those of Jiao et al. (kernel_features.h), sections 6.2 and 6.3. Their printed errors are corrected
// here (docs/model.md). All functions are pure functions of values, and any thread may call them.
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

namespace wattune::inline v0_1::model {

// A kernel that may run beside another one.
struct FusableKernel {
  KernelFeatures features = {};  // features of the kernel alone, at the highest clocks
  unsigned blocks = 1;           // N: blocks resident on an SM; if memory-bound, those that saturate the memory
};

// The equations of Jiao et al., corrected or as they are printed.
enum class Equations { corrected, as_printed };

struct FusionOptions {
  double memory_bandwidth = 0.0;  // MB: the highest bandwidth that the GPU reaches, in GB/s
  Equations equations = Equations::corrected;
};

// The features of a pair.
struct FusedFeatures {
  KernelFeatures features = {};      // X_ij (equation 3), the features of both kernels together
  std::array<double, 2> alpha = {};  // speed-up of each kernel's blocks, at least 1
  double beta = 1.0;                 // factor by which the memory then slows both down, at most 1
};

// Computes the features of the pair with `ratio` blocks of each kernel on an SM, at the highest clocks. Fails with
// invalid_argument if a kernel has no blocks or issues nothing, if a feature is negative or not a number, or if there
// is no memory bandwidth.
Result<FusedFeatures> fuse(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio,
                           const FusionOptions& options);

// Computes S_ij, the operations per joule of both kernels one after the other, for the mix of work that the pair does
// together. Each kernel runs at its own best clocks with `best` operations per joule. The result lies between the two
// values of `best`. Fails as fuse() does, and with invalid_argument if `best` is not positive.
Result<double> sequential_efficiency(const FusableKernel& first, const FusableKernel& second, BlockRatio ratio,
                                     std::array<double, 2> best, Equations equations = Equations::corrected);

// Returns the smallest number of resident blocks whose rate is within the share `slack` of the highest. `rates` has the
// rates with 1, 2 ... blocks. This is N of a memory-bound kernel: 5 instead of 8 for Samplerank in Jiao et al. Returns
// 0 if there are no rates.
unsigned saturating_blocks(std::span<const double> rates, double slack = 0.02);

}  // namespace wattune::model
