#include "simulate/interface/corun_kernels.h"

#include <algorithm>
#include <cmath>

#include "simulate/gpu/gpu_units.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr double kRequestBytes = 128.0;  // bytes moved by one request of the model's Markov chain

using model::BlockDemand;
using Mix = std::array<double, kPipes>;

// Members of the kernels' descriptions, fitted to PUR.
constexpr double kPcDramCost = 7.167;
constexpr double kSadParallelism = 0.8147;
constexpr double kSpmvCoalesced = 0.2415;
constexpr double kStCoalesced = 0.23;
constexpr double kMmCoalesced = 0.1349;
constexpr double kMriqSpecial = 0.1465;
constexpr double kBsSpecial = 0.1435;

constexpr Mix mix_of(double fp32, double integer, double special) { return {fp32, integer, special}; }

// Returns the DRAM bytes per instruction that give this memory utilisation (MUR) and pipeline utilisation (PUR) on a
// C2050. That GPU moves 144 GB/s and issues 14 instructions per cycle of 1147 MHz.
constexpr double dram_bytes_per_instruction(const model::Utilisation& run) {
  return run.memory / run.pipeline * 144e9 / (14 * 1147e6);
}

// Returns the share of requests that L2 must answer so that DRAM moves as many bytes as the table states.
double l2_hit_of(const SimulatedKernel& kernel, const model::Utilisation& run) {
  return std::max(0.0, 1.0 - dram_bytes_per_instruction(run) / kernel.l2_bytes());
}

// Builds the kernels from tables 3 and 4 of Zhong and He, "Kernelet". Registers are chosen so that the occupancy equals
// that of the table. The hits in L2 follow from MUR / PUR. One member of each kernel is fitted to PUR on a detailed
// C2050.
//
// The number of a warp's instructions is estimated from the sizes in table 3. That number determines how long blocks
// take, but not their utilisation.
std::vector<KerneletKernel> make_kernelet_kernels() {
  constexpr BlockDemand kOf256{.threads = 256, .registers = 20};
  constexpr BlockDemand kOf128{.threads = 128, .registers = 32};
  std::vector<KerneletKernel> rows = {
      {{.name = "PC",
        .block = kOf256,
        .blocks = 16384,
        .instructions = 80,
        .scattered = 0.128,
        .scattered_dram_cost = kPcDramCost},
       {{0.0096, 0.1404}, 1.0},
       {{0.0072, 0.1746}, 1.0}},
      {{.name = "SAD",
        .block = {.threads = 32, .registers = 32},
        .blocks = 8048,
        .instructions = 1000,
        .instruction_parallelism = kSadParallelism,
        .coalesced = 0.0524},
       {{0.1498, 0.1120}, 8.0 / 48.0},
       {{0.1062, 0.1351}, 0.25}},
      {{.name = "SPMV",
        .block = kOf256,
        .blocks = 16384,
        .instructions = 500,
        .mix = mix_of(0.25, 0.25, 0.0),
        .coalesced = kSpmvCoalesced,
        .scattered = 0.02,
        .scattered_requests = 16},
       {{0.3464, 0.003}, 1.0},
       {{0.3027, 0.0043}, 1.0}},
      {{.name = "ST",
        .block = kOf128,
        .blocks = 16384,
        .instructions = 2000,
        .mix = mix_of(0.3, 0.2, 0.0),
        .coalesced = kStCoalesced},
       {{0.3629, 0.1156}, 32.0 / 48.0},
       {{0.2016, 0.1179}, 1.0}},
      {{.name = "MM",
        .block = {.threads = 256, .registers = 32},
        .blocks = 16384,
        .instructions = 16000,
        .mix = mix_of(0.5, 0.1, 0.0),
        .coalesced = kMmCoalesced,
        .l1_bytes = 32},
       {{0.5804, 0.0161}, 32.0 / 48.0},
       {{0.5321, 0.0569}, 1.0}},
      {{.name = "MRIQ",
        .block = {.threads = 256, .registers = 24},
        .blocks = 8192,
        .instructions = 20000,
        .mix = mix_of(0.6, 0.1, kMriqSpecial),
        .coalesced = 0.0002},
       {{0.8539, 0.0002}, 40.0 / 48.0},
       {{1.6784, 0.0007}, 1.0}},
      {{.name = "BS",
        .block = kOf128,
        .blocks = 16384,
        .instructions = 3000,
        .mix = mix_of(0.6, 0.1, kBsSpecial),
        .coalesced = 0.0049},
       {{0.8642, 0.0604}, 32.0 / 48.0},
       {{1.2007, 0.1323}, 1.0}},
      {{.name = "TEA",
        .block = kOf128,
        .blocks = 16384,
        .instructions = 3200,
        .mix = mix_of(0.0, 0.6, 0.0),
        .coalesced = 0.00138},
       {{0.9978, 0.0196}, 32.0 / 48.0},
       {{1.1417, 0.0353}, 1.0}},
  };
  for (KerneletKernel& row : rows) row.kernel.l2_hit = l2_hit_of(row.kernel, row.c2050.utilisation);
  return rows;
}

double mean_latency(const GpuModel& gpu, double miss) {
  return gpu.l2_latency + miss * (gpu.dram_latency - gpu.l2_latency);
}

// Returns the busy cycles of the pipes and, at the end, the busy cycles of L2.
std::vector<double> busy_cycles_of(const SimulatedKernel& kernel, const GpuModel& gpu) {
  std::vector<double> cycles;
  for (std::size_t pipe = 0; pipe < kPipes; ++pipe) {
    const double requests = static_cast<Pipe>(pipe) == Pipe::memory ? kernel.requests() : 0.0;
    cycles.push_back(gpu.pipe_rates[pipe] > 0.0 ? (kernel.mix[pipe] + requests) / gpu.pipe_rates[pipe] : 0.0);
  }
  const double l2_bytes_per_cycle = bytes_per_cycle(gpu.l2_gigabytes_per_second, gpu.clock) / gpu.sms;
  cycles.push_back(kernel.l2_bytes() / l2_bytes_per_cycle);
  return cycles;
}

}  // namespace

const std::vector<KerneletKernel>& kernelet_kernels() {
  static const std::vector<KerneletKernel> kernels = make_kernelet_kernels();
  return kernels;
}

// Returns a model of a kernel of fused multiply-adds (FMA).
//
// One block of its 8 warps alone on an SM, beside 7 blocks of gather_probe(), was measured to be 17 % slower than at
// full rate. So the instructions of a warp overlap 1.67 times: with a latency of 4 cycles, 8 warps then issue
// 8 / (4 / 1.67) instructions per cycle, and the full rate is 4.
//
// 40 waves of 8 blocks take 20 ms at 1980 MHz: 61,875 instructions of each of 64 warps.
SimulatedKernel fma_probe() {
  return {.name = "C",
          .block = {.threads = 256, .registers = 32},
          .blocks = 132 * 8 * 40,
          .instructions = 61875,
          .mix = mix_of(0.9, 0.0, 0.0),
          .instruction_parallelism = 1.67};
}

// Returns a model of a kernel of random reads. Every fifth instruction of a warp reads 32 sectors of 32 bytes, so that
// DRAM limits the speed. 16 waves of 64 warps take 20 ms.
SimulatedKernel gather_probe() {
  return {.name = "L",
          .block = {.threads = 256, .registers = 32},
          .blocks = 132 * 8 * 16,
          .instructions = 2545,
          .mix = mix_of(0.0, 0.5, 0.0),
          .scattered = 0.2,
          .l2_hit = 0.05};
}

// Returns a model of the copy probe, a kernel in which each warp makes four loads of 512 bytes before it stores them. A
// block of the model equals eight blocks of the probe.
SimulatedKernel copy_probe() {
  return {.name = "M",
          .block = {.threads = 256, .registers = 32},
          .blocks = 132 * 8 * 30,
          .instructions = 2066,
          .mix = mix_of(0.0, 0.5, 0.0),
          .coalesced = 0.25,
          .coalesced_bytes = 512,
          .memory_parallelism = 4};
}

model::ChainSm chain_sm(const GpuModel& gpu) {
  return {.schedulers = gpu.schedulers,
          .issue_rate = gpu.issue_rate,
          .requests_per_cycle = bytes_per_cycle(gpu.dram_gigabytes_per_second, gpu.clock) / gpu.sms / kRequestBytes};
}

model::WarpProfile chain_profile(const SimulatedKernel& kernel, const GpuModel& gpu) {
  const double miss = 1.0 - kernel.l2_hit;
  const double at_once = kernel.memory_parallelism;
  model::WarpProfile profile{.issue_distance = kernel.issue_distance(gpu), .busy_cycles = busy_cycles_of(kernel, gpu)};
  if (kernel.coalesced > 0.0)
    profile.stalls.push_back({.ratio = kernel.coalesced / at_once,
                              .latency = mean_latency(gpu, miss),
                              .queued = miss,
                              .requests = at_once * miss * kernel.coalesced_bytes / kRequestBytes});
  if (kernel.scattered > 0.0) {
    const double requests = kernel.scattered_requests;
    const double any_missed = 1.0 - std::pow(kernel.l2_hit, requests);
    const double all_sent = (requests - 1.0) / of_pipe(gpu.pipe_rates, Pipe::memory);
    profile.stalls.push_back(
        {.ratio = kernel.scattered / at_once,
         .latency = mean_latency(gpu, any_missed) + all_sent,
         .queued = any_missed,
         .requests = at_once * miss * requests * kernel.scattered_bytes * kernel.scattered_dram_cost / kRequestBytes});
  }
  return profile;
}

Result<model::PairKernel> pair_kernel(const SimulatedKernel& kernel, const GpuModel& gpu) {
  WATTUNE_ASSIGN(const model::Occupancy alone, model::occupancy(gpu.capability, kernel.block));
  return model::PairKernel{.profile = chain_profile(kernel, gpu),
                           .warps_per_block = kernel.warps(),
                           .instructions_per_block = kernel.instructions_per_block(),
                           .blocks_alone = alone.blocks};
}

}  // namespace wattune::simulate
