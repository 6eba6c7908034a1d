// Shares of the resources of a GPU that a CUDA kernel uses, counted on the host. They need no performance counters,
// which GPUs reserve for administrators.
//
// The PTX interpreter runs some of the kernel's blocks on copies of its buffers. The counts, the measured time of the
// grid alone and the peaks of the GPU's preset give the share of each resource. No caches are simulated, so the share
// of DRAM is an upper bound. The kernel must not run on the device meanwhile. One thread at a time.
//
//   WATTUNE_ASSIGN(const simulate::BlockCosts block, schedule::count_block(*device, *kernel));
//   traits.use = simulate::use_of(block, traits.blocks, *traits.alone, *simulate::find_gpu_model("H200"));
//   if (is_complementary(packing_bound(traits, other))) run_together();
#pragma once

#include <cstddef>
#include <optional>

#include "schedule/interface/loaded_kernel.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/backend/device.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

struct CountOptions {
  simulate::BlockSampleOptions sample = {};
  std::size_t most_bytes = std::size_t{4} << 30U;    // largest size of the kernel's buffers, which the host copies
  Nanoseconds limit = nanoseconds_from_seconds(60);  // of copying each of them
};

// Returns mean costs per block over the sampled blocks, with the present contents of the buffers. Fails with
// unavailable if its PTX is unknown, it samples pixels, its buffers are too large, or the interpreter does not know an
// instruction. Errors of reading and of running it are passed on.
Result<simulate::BlockCosts> count_block(backend::Device& device, const LoadedKernel& kernel,
                                         const CountOptions& options = {});

// Returns the largest possible speed-up of two kernels of equal length over one after the other
// (model::packing_bound()); nullopt if the use of either is unknown.
std::optional<double> packing_bound(const KernelTraits& first, const KernelTraits& second);
// True if the bound is known and at least 1.5.
bool is_complementary(std::optional<double> packing_bound);

}  // namespace wattune::schedule
