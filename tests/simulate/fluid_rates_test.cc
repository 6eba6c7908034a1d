#include "simulate/gpu/fluid_rates.h"

#include <gtest/gtest.h>

#include <array>

namespace wattune::inline v0_1::simulate {
namespace {

constexpr Megahertz kClock(1000.0);

// Returns one SM with four schedulers, 2 bytes of DRAM and 100 of L2 per cycle.
GpuModel plain_gpu() {
  GpuModel gpu;
  gpu.capability = {9, 0};
  gpu.clock = kClock;
  gpu.schedulers = 4;
  gpu.pipe_rates = {4.0, 2.0, 0.5, 2.0, 1.0, 1.0};
  gpu.l2_gigabytes_per_second = 100.0;
  gpu.dram_gigabytes_per_second = 2.0;
  gpu.l2_latency = 200.0;
  gpu.dram_latency = 800.0;
  return gpu;
}

SimulatedKernel of_32_warps() { return {.name = "k", .block = {.threads = 1024, .registers = 32}}; }

// Returns the instructions per cycle of all warps of each kernel, with one block of each.
std::vector<double> ipc_of(const GpuModel& gpu, const std::vector<SimulatedKernel>& kernels) {
  std::vector<ResidentBlocks> residents;
  for (std::size_t i = 0; i < kernels.size(); ++i) residents.push_back({i, 1});
  const FluidSm sm = fluid_sm(gpu, kClock, kernels, residents);
  const FluidLimits limits = limits_of(gpu, {kClock});
  std::vector<double> rates = local_rates(limits, sm, settled_delays(limits, {&sm, 1}, {}));
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] *= sm.loads[i].warps;
  return rates;
}

double ipc_of(const GpuModel& gpu, const SimulatedKernel& kernel) { return ipc_of(gpu, std::vector{kernel}).front(); }

// 32 warps could issue 8 instructions per cycle, but four schedulers issue 4. One warp issues one in four cycles.
TEST(FluidRates, AreBoundedBySchedulersAndByWarps) {
  EXPECT_NEAR(ipc_of(plain_gpu(), of_32_warps()), 4.0, 1e-9);
  SimulatedKernel one = of_32_warps();
  one.block.threads = 32;
  EXPECT_NEAR(ipc_of(plain_gpu(), one), 0.25, 1e-9);
}

// Half of the instructions go through a pipe that takes one every second cycle.
TEST(FluidRates, AreBoundedByPipes) {
  SimulatedKernel kernel = of_32_warps();
  kernel.mix[static_cast<std::size_t>(Pipe::special)] = 0.5;
  EXPECT_NEAR(ipc_of(plain_gpu(), kernel), 1.0, 1e-9);
}

TEST(FluidRates, AreBoundedByL1) {
  SimulatedKernel kernel = of_32_warps();
  kernel.l1_bytes = 64.0;
  EXPECT_NEAR(ipc_of(plain_gpu(), kernel), 2.0, 1e-9);  // 128 bytes per cycle
}

// 0.01 accesses per instruction wait 800 cycles: 4 + 8 cycles, 32 warps, and a memory that is no limit.
TEST(FluidRates, AreBoundedByLatency) {
  GpuModel gpu = plain_gpu();
  gpu.dram_gigabytes_per_second = 1000.0;
  gpu.l2_gigabytes_per_second = 1000.0;
  SimulatedKernel kernel = of_32_warps();
  kernel.coalesced = 0.01;
  EXPECT_NEAR(ipc_of(gpu, kernel), 32.0 / 12.0, 1e-9);
  kernel.l2_hit = 1.0;  // 4 + 2 cycles: 5.3, and schedulers issue 4
  EXPECT_NEAR(ipc_of(gpu, kernel), 4.0, 1e-9);
  kernel.memory_parallelism = 2.0;
  kernel.l2_hit = 0.0;  // 4 + 4 cycles
  EXPECT_NEAR(ipc_of(gpu, kernel), 4.0, 1e-9);
}

// Every second instruction moves 128 bytes: 2 bytes per cycle are 2 / 64 instructions, for any number of warps.
TEST(FluidRates, AreBoundedByDramAndByL2) {
  SimulatedKernel kernel = of_32_warps();
  kernel.coalesced = 0.5;
  EXPECT_NEAR(ipc_of(plain_gpu(), kernel), 2.0 / 64.0, 1e-5);
  GpuModel gpu = plain_gpu();
  gpu.l2_gigabytes_per_second = 3.2;
  kernel.l2_hit = 1.0;
  EXPECT_NEAR(ipc_of(gpu, kernel), 0.05, 1e-5);
}

// Random accesses cost DRAM four times their bytes.
TEST(FluidRates, KnowThatScatteredAccessesCostDramMore) {
  SimulatedKernel kernel = of_32_warps();
  kernel.scattered = 0.5;
  kernel.scattered_requests = 4.0;
  const double at_once = ipc_of(plain_gpu(), kernel);
  kernel.scattered_dram_cost = 4.0;
  EXPECT_NEAR(ipc_of(plain_gpu(), kernel), at_once / 4.0, 1e-5);
}

// A kernel that needs few instructions gets them beside one that would take all (max-min fairness).
TEST(FluidRates, GiveWhoNeedsLittleAllOfIt) {
  GpuModel gpu = plain_gpu();
  gpu.dram_gigabytes_per_second = 1000.0;
  gpu.l2_gigabytes_per_second = 1000.0;
  SimulatedKernel waiting = of_32_warps();
  waiting.coalesced = 0.1;
  const std::vector<double> ipc = ipc_of(gpu, {of_32_warps(), waiting});
  EXPECT_NEAR(ipc[1], 32.0 / 84.0, 1e-9);
  EXPECT_NEAR(ipc[0] + ipc[1], 4.0, 1e-9);
}

TEST(FluidRates, ShareAlikeBetweenKernelsThatAreAlike) {
  const std::vector<double> ipc = ipc_of(plain_gpu(), {of_32_warps(), of_32_warps()});
  EXPECT_NEAR(ipc[0], 2.0, 1e-9);
  EXPECT_NEAR(ipc[1], 2.0, 1e-9);
}

// Two kernels with equal DRAM traffic cause all of the mixing loss; one alone causes none.
TEST(FluidRates, LoseDramTimeWhereKernelsTakeTurns) {
  GpuModel gpu = plain_gpu();
  gpu.dram_mixing_loss = 0.2;
  SimulatedKernel kernel = of_32_warps();
  kernel.coalesced = 0.5;
  EXPECT_NEAR(ipc_of(gpu, kernel), 2.0 / 64.0, 1e-5);
  const std::vector<double> ipc = ipc_of(gpu, {kernel, kernel});
  EXPECT_NEAR(ipc[0] + ipc[1], 0.8 * 2.0 / 64.0, 1e-5);
}

// Beside as many warps of another kernel, half of the sensitivity to sharing counts: 0.8 (1 - 0.5 * 0.5) = 0.6 hits.
TEST(FluidRates, LoseHitsToOtherKernels) {
  SimulatedKernel kernel = of_32_warps();
  kernel.coalesced = 0.5;
  kernel.l2_hit = 0.8;
  kernel.sharing_loss = 0.5;
  const std::vector kernels = {kernel, of_32_warps()};
  const FluidSm sm = fluid_sm(plain_gpu(), kClock, kernels, std::array{ResidentBlocks{0, 1}, ResidentBlocks{1, 1}});
  EXPECT_NEAR(sm.loads[0].dram_bytes, 64.0 * 0.4, 1e-9);
}

// At half the clock a nanosecond of DRAM's latency and bandwidth is half the cycles.
TEST(FluidRates, KeepTheTimeOfDramAtOtherClocks) {
  SimulatedKernel kernel = of_32_warps();
  kernel.coalesced = 0.5;
  const std::vector kernels = {kernel};
  const FluidSm slow = fluid_sm(plain_gpu(), Megahertz(500), kernels, std::array{ResidentBlocks{0, 1}});
  EXPECT_NEAR(slow.loads[0].cycles, 4.0 + 0.5 * 400.0, 1e-9);
  EXPECT_NEAR(limits_of(plain_gpu(), {Megahertz(500)}).dram_bytes_per_cycle, 4.0, 1e-9);
  EXPECT_NEAR(limits_of(plain_gpu(), {Megahertz(500), 0.5}).dram_bytes_per_cycle, 2.0, 1e-9);
}

// 32 warps that nearly always have a request in flight each make each of them 32 cycles slower.
TEST(FluidRates, AddLatencyForEachRequestInFlight) {
  GpuModel gpu = plain_gpu();
  gpu.latency_per_request = 1.0;
  SimulatedKernel kernel = of_32_warps();
  kernel.coalesced = 1.0;
  const std::vector kernels = {kernel};
  const FluidSm sm = fluid_sm(gpu, kClock, kernels, std::array{ResidentBlocks{0, 1}});
  EXPECT_NEAR(sm.loads[0].cycles, 804.0 + 32.0, 0.5);
}

}  // namespace
}  // namespace wattune::simulate
