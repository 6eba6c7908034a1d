// Shares of the resources of a GPU that a CUDA kernel uses, counted on the host. They need no performance counters
// (kernel_use.h), which many GPUs reserve for administrators.
//
// The PTX interpreter runs some of the kernel's blocks. They work on copies of the pages of its buffers that they
// touch. The counts, the measured time of the grid alone and the peaks of the GPU's preset give the share of each
// resource. No caches are simulated, so the share of DRAM is an upper bound. Measured times of the kernel alone refute
// counts that cannot be right (timing_class.h). The kernel must not run on the device meanwhile. One thread at a time
// may call.
//
//   WATTUNE_ASSIGN(const simulate::BlockCosts block, schedule::count_block(*device, *kernel));
//   traits.use = simulate::use_of(block, traits.blocks, *traits.alone, *simulate::find_gpu_model("H200"));
//   if (packing_bound(traits, other) >= 1.5) run_together();
#pragma once

#include <cstdint>
#include <optional>

#include "schedule/interface/loaded_kernel.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/backend/device.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

struct CountOptions {
  simulate::BlockSampleOptions sample = {};
  std::uint64_t most_bytes = std::uint64_t{4} << 30U;  // most bytes of the kernel's buffers that are copied to the host
  Nanoseconds limit = nanoseconds_from_seconds(60);    // time limit of copying a page
};

// Returns mean costs per block, with the present contents of the buffers. Fails as simulate::count_block() does. Also
// fails with unavailable if the kernel's PTX is unknown or samples pixels, if the blocks touch too many bytes, or if
// the interpreter does not know an instruction. Errors of reading are passed on.
Result<simulate::BlockCosts> count_block(backend::Device& device, const LoadedKernel& kernel,
                                         const CountOptions& options = {});

// Returns the largest possible speed-up of two kernels of equal length over one after the other
// (model::packing_bound()). Returns nullopt if the use of one kernel is unknown, or if times refute its counts.
std::optional<double> packing_bound(const KernelTraits& first, const KernelTraits& second);

}  // namespace wattune::schedule
