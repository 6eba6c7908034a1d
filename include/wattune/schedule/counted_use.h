// What a CUDA kernel keeps busy on its GPU, counted on the host: profiles without performance counters, which GPUs keep
// to administrators.
//
// Some of the kernel's blocks run in the interpreter of PTX on copies of its buffers; with the time that its grid was
// measured to take alone and the peaks of the GPU's preset that gives shares of each resource. No caches are simulated,
// so that the share of DRAM is an upper bound. The device runs nothing of the kernel meanwhile. One thread at a time.
//
//   WATTUNE_ASSIGN(const simulate::BlockCosts block, schedule::count_block(*device, *kernel));
//   traits.use = simulate::use_of(block, traits.blocks, traits.alone, *simulate::find_gpu_model("H200"));
//   if (is_complementary(packing_bound(traits, other))) run_together();
#pragma once

#include <cstddef>
#include <optional>

#include "wattune/backend/device.h"
#include "wattune/core/result.h"
#include "wattune/schedule/loaded_kernel.h"
#include "wattune/schedule/machine.h"
#include "wattune/simulate/ptx_profile.h"

namespace wattune::schedule {

struct CountOptions {
  simulate::BlockSampleOptions sample = {};
  std::size_t most_bytes = std::size_t{4} << 30U;    // of its buffers, which the host copies
  Nanoseconds limit = nanoseconds_from_seconds(60);  // of copying them
};

// Means over sampled blocks, on what its buffers hold. unavailable: no PTX of it is known, it takes pixels, its buffers
// are too large, or it has an instruction that the interpreter does not know; errors of reading and of running it.
Result<simulate::BlockCosts> count_block(backend::Device& device, const LoadedKernel& kernel,
                                         const CountOptions& options = {});

// How much faster than one after the other two kernels of equal length can be at most (model::packing_bound()); empty
// where the use of one is unknown.
std::optional<double> packing_bound(const KernelTraits& first, const KernelTraits& second);
// From 1.5 on.
bool is_complementary(std::optional<double> packing_bound);

}  // namespace wattune::schedule
