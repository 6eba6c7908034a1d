#include "wattune/simulate/steady_flow.h"

#include <algorithm>
#include <utility>

#include "simulate/gpu/fluid_rates.h"

namespace wattune::simulate {

namespace {

using model::Feature;

constexpr double kThreads = 32.0;      // of a warp
constexpr double kSectorBytes = 32.0;  // of a transaction of L2 and DRAM
constexpr double kLineBytes = 128.0;   // of an access to shared memory

double gigahertz_of_sms(const GpuModel& gpu) { return gpu.sms * gpu.clock.value() * 1e-3; }

double share_of(const SimulatedKernel& kernel, Pipe pipe) { return kernel.mix[static_cast<std::size_t>(pipe)]; }

// Of a kernel that issues so many 1e9 instructions of warps per second, added to those of the others.
void add_rates(model::KernelFeatures& features, const SimulatedKernel& kernel, double rate) {
  const double shared = kernel.l1_bytes / kLineBytes;
  const double dram = kernel.dram_bytes(kernel.l2_hit);
  features[Feature::single_precision] += rate * kThreads * share_of(kernel, Pipe::fp32);
  features[Feature::double_precision] += rate * kThreads * share_of(kernel, Pipe::fp64);
  features[Feature::special_functions] += rate * kThreads * share_of(kernel, Pipe::special);
  features[Feature::shared_throughput] += rate * kernel.l1_bytes;
  features[Feature::shared_accesses] += rate * shared;
  features[Feature::l2_accesses] += rate * kernel.l2_bytes() / kSectorBytes;
  features[Feature::l2_throughput] += rate * kernel.l2_bytes();
  features[Feature::dram_accesses] += rate * dram / kSectorBytes;
  features[Feature::dram_throughput] += rate * dram;
  features[Feature::instructions] += rate;
  features[Feature::load_store_instructions] += rate * (kernel.coalesced + kernel.scattered + shared);
  features[Feature::global_transactions] += rate * kernel.requests();
}

// Of the busiest pipe that computes.
double arithmetic_utilisation(const GpuModel& gpu, std::span<const Residents> residents,
                              std::span<const double> rates) {
  double busiest = 0.0;
  for (const Pipe pipe : {Pipe::fp32, Pipe::integer, Pipe::special, Pipe::fp64}) {
    double used = 0.0;
    for (std::size_t i = 0; i < rates.size(); ++i) used += rates[i] * share_of(*residents[i].kernel, pipe);
    const double most = gpu.pipe_rates[static_cast<std::size_t>(pipe)] * gigahertz_of_sms(gpu);
    if (most > 0.0) busiest = std::max(busiest, used / most);
  }
  return std::min(1.0, busiest);
}

SteadyFlow flow_of(const GpuModel& gpu, std::span<const Residents> residents, std::vector<double> rates) {
  SteadyFlow flow;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    add_rates(flow.features, *residents[i].kernel, rates[i]);
    flow.operations += rates[i];
  }
  flow.features[Feature::arithmetic_utilisation] = arithmetic_utilisation(gpu, residents, rates);
  flow.features[Feature::shared_utilisation] =
      std::min(1.0, flow.features[Feature::shared_throughput] / (gpu.l1_bytes_per_cycle * gigahertz_of_sms(gpu)));
  flow.dram_gigabytes = flow.features[Feature::dram_throughput];
  flow.activity = {.core = flow.operations / (gpu.schedulers * gpu.issue_rate * gigahertz_of_sms(gpu)),
                   .memory = std::max(flow.dram_gigabytes / gpu.dram_gigabytes_per_second,
                                      flow.features[Feature::l2_throughput] / gpu.l2_gigabytes_per_second)};
  flow.rates = std::move(rates);
  return flow;
}

const BoardModel* board_of(const GpuModel& gpu) { return find_board_model(gpu.board); }

}  // namespace

std::vector<ClockPair> clock_pairs(const GpuModel& gpu) {
  const BoardModel* board = board_of(gpu);
  if (board == nullptr) return {highest_clocks(gpu)};
  std::vector<ClockPair> pairs;
  for (const Megahertz core : board->clocks)
    for (auto memory = board->memory_clocks.rbegin(); memory != board->memory_clocks.rend(); ++memory)
      pairs.push_back({core, *memory});
  return pairs;
}

ClockPair highest_clocks(const GpuModel& gpu) {
  const BoardModel* board = board_of(gpu);
  return {gpu.clock, board == nullptr ? Megahertz(0) : board->memory_clocks.front()};
}

GpuModel at_clocks(GpuModel gpu, const ClockPair& clocks) {
  const ClockPair highest = highest_clocks(gpu);
  const double core = clocks.core / highest.core;
  gpu.clock = clocks.core;
  gpu.l2_gigabytes_per_second *= core;
  gpu.dram_latency *= core;
  if (highest.memory > Megahertz(0)) gpu.dram_gigabytes_per_second *= clocks.memory / highest.memory;
  return gpu;
}

SteadyFlow steady_flow(const GpuModel& gpu, std::span<const Residents> residents) {
  std::vector<SimulatedKernel> kernels;
  std::vector<ResidentBlocks> blocks;
  for (const Residents& each : residents) {
    blocks.push_back({kernels.size(), each.blocks});
    kernels.push_back(*each.kernel);
  }
  FluidSm sm = fluid_sm(gpu, gpu.clock, kernels, blocks);
  sm.count = gpu.sms;
  const FluidLimits limits = limits_of(gpu, {.core = gpu.clock});
  std::vector<double> rates = local_rates(limits, sm, settled_delays(limits, {&sm, 1}, {}));
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] *= sm.loads[i].warps * gigahertz_of_sms(gpu);
  return flow_of(gpu, residents, std::move(rates));
}

SteadyFlow simulated_flow(const GpuModel& gpu, std::span<const Residents> residents, const GpuOptions& options,
                          double instructions) {
  constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;
  const Nanoseconds step(2000);
  SimulatedGpu run(gpu, options);
  for (const Residents& each : residents) {
    SimulatedKernel kernel = *each.kernel;
    kernel.blocks = kEndless;
    const auto id = run.add_kernel(kernel);
    const auto stream = run.add_stream({});
    if (id && stream)
      static_cast<void>(
          run.submit({.kernel = *id, .stream = *stream, .persistent = Persistence{.per_sm = each.blocks}}).has_value());
  }
  const auto pass = [&](double until) {
    while (run.counters().instructions < until) run.pass_until(run.now() + step);
  };
  pass(instructions / 3);
  const GpuCounters before = run.counters();
  const Nanoseconds begin = run.now();
  pass(instructions);
  std::vector<double> rates = run.counters().instructions_of;
  for (std::size_t i = 0; i < rates.size(); ++i)
    rates[i] = (rates[i] - before.instructions_of[i]) / (run.now() - begin).value();
  return flow_of(gpu, residents, std::move(rates));
}

Efficiency efficiency_of(const GpuModel& gpu, const ClockPair& clocks, SteadyFlow flow) {
  const Operation operation{.graphics = clocks.core, .memory = clocks.memory};
  const Watts power = power_at(*board_of(gpu), operation, flow.activity, Celsius(50));
  return {clocks, std::move(flow), power};
}

Efficiency efficiency_at(const GpuModel& gpu, const ClockPair& clocks, std::span<const Residents> residents) {
  return efficiency_of(gpu, clocks, steady_flow(at_clocks(gpu, clocks), residents));
}

Efficiency best_efficiency(const GpuModel& gpu, std::span<const Residents> residents) {
  Efficiency best;
  for (const ClockPair& clocks : clock_pairs(gpu)) {
    Efficiency each = efficiency_at(gpu, clocks, residents);
    if (best.flow.rates.empty() || each.operations_per_joule() > best.operations_per_joule()) best = std::move(each);
  }
  return best;
}

}  // namespace wattune::simulate
