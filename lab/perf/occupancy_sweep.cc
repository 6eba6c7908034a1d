// Compares model::occupancy() with NVIDIA's calculator, the header cuda_occupancy.h of a CUDA toolkit from 12.0 on. The
// cases vary block sizes, registers, shared memory, carveouts and barriers, for every compute capability that both
// calculators know.
//
//   occupancy_sweep     says how many cases were compared and shows those that differ
#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <array>

#include "model/multiprocessor.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::model {
namespace {

constexpr std::array kGpus = {ComputeCapability{3, 0}, ComputeCapability{3, 2}, ComputeCapability{3, 5},
                              ComputeCapability{3, 7}, ComputeCapability{5, 0}, ComputeCapability{5, 2},
                              ComputeCapability{5, 3}, ComputeCapability{6, 0}, ComputeCapability{6, 1},
                              ComputeCapability{6, 2}, ComputeCapability{7, 0}, ComputeCapability{7, 2},
                              ComputeCapability{7, 5}, ComputeCapability{8, 0}, ComputeCapability{8, 6},
                              ComputeCapability{8, 7}, ComputeCapability{8, 9}, ComputeCapability{9, 0}};
constexpr std::array<std::size_t, 15> kSharedBytes = {0,     1,     100,   1000,  1025,   6000,   8192,  16384,
                                                      20000, 49152, 65536, 98304, 101376, 166912, 232448};

cudaOccDeviceProp properties_of(const Multiprocessor& sm) {
  cudaOccDeviceProp device{};
  device.computeMajor = static_cast<int>(sm.gpu.major);
  device.computeMinor = static_cast<int>(sm.gpu.minor);
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = static_cast<int>(sm.warps) * 32;
  device.regsPerBlock = static_cast<int>(sm.registers_per_block);
  device.regsPerMultiprocessor = static_cast<int>(sm.registers);
  device.warpSize = 32;
  device.sharedMemPerBlock = 49152;
  device.sharedMemPerBlockOptin = sm.shared_bytes_per_block;
  device.sharedMemPerMultiprocessor = sm.carveouts.back();
  device.reservedSharedMemPerBlock = sm.shared_bytes_reserved;
  device.numSms = 1;
  return device;
}

// Returns the number of resident blocks by NVIDIA's calculator. `carveout` is in percent; -1 means that none is set.
int theirs(const Multiprocessor& sm, const BlockDemand& block, int carveout) {
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = static_cast<int>(block.registers);
  kernel.sharedSizeBytes = block.static_shared_bytes;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = block.dynamic_shared_bytes;
  kernel.numBlockBarriers = static_cast<int>(block.barriers);
  cudaOccDeviceState state;
  state.carveoutConfig = carveout;
  const cudaOccDeviceProp device = properties_of(sm);
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &kernel, &state, static_cast<int>(block.threads), block.dynamic_shared_bytes);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

struct Sweep {
  long compared = 0;
  long different = 0;

  void compare(const Multiprocessor& sm, BlockDemand block, int carveout) {
    if (carveout >= 0) block.carveout_bytes = static_cast<std::size_t>(carveout) * sm.carveouts.back() / 100;
    const auto ours = static_cast<int>(occupancy(sm.gpu, block).value().blocks);
    ++compared;
    if (ours == theirs(sm, block, carveout)) return;
    ++different;
    fmt::print("{}.{}: {} threads, {} registers, {} + {} bytes, carveout {} %: {} blocks, by the vendor {}\n",
               sm.gpu.major, sm.gpu.minor, block.threads, block.registers, block.static_shared_bytes,
               block.dynamic_shared_bytes, carveout, ours, theirs(sm, block, carveout));
  }

  // Compares the calculators at all sizes of shared memory. The first 48 KB are static, the rest is dynamic memory.
  void compare_all(const Multiprocessor& sm, unsigned threads, unsigned registers) {
    for (const std::size_t bytes : kSharedBytes) {
      const std::size_t fixed = bytes > 49152 ? 0 : bytes / 2;
      const BlockDemand block{threads, registers, fixed, bytes - fixed};
      for (const int carveout : {-1, 0, 25, 50, 100})
        if (carveout < 0 || sm.gpu.major >= 7) compare(sm, block, carveout);
    }
    compare(sm, {.threads = threads, .registers = registers, .barriers = 16}, -1);
  }
};

}  // namespace
}  // namespace wattune::model

int main() {
  wattune::model::Sweep sweep;
  for (const auto gpu : wattune::model::kGpus) {
    const wattune::model::Multiprocessor& sm = *wattune::model::multiprocessor(gpu).value();
    for (unsigned threads = 1; threads <= 1024; threads += threads < 70 ? 1 : 31)
      for (unsigned registers = 0; registers <= sm.registers_per_thread; ++registers)
        sweep.compare_all(sm, threads, registers);
  }
  fmt::print("{} compared, {} different\n", sweep.compared, sweep.different);
  return sweep.different == 0 ? 0 : 1;
}
