#include "simulate/interface/steady_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/gpu/demand.h"
#include "simulate/gpu/fluid_rates.h"
#include "simulate/gpu/gpu_units.h"
#include "wattune/model/co_residency.h"

namespace wattune::inline v0_1::simulate {

namespace {

SteadyFlow flow_of(const GpuModel& gpu, std::span<const Residents> residents, std::vector<double> rates) {
  constexpr Nanoseconds kOne(1);  // with 1 ns, rates are in 1e9 per second
  Demand demand;
  for (std::size_t i = 0; i < rates.size(); ++i) demand.add(demand_of(*residents[i].kernel, rates[i]));
  SteadyFlow flow{.rates = std::move(rates),
                  .operations = demand.issued,
                  .dram_gigabytes = demand.dram_bytes,
                  .features = features_of(demand, kOne, gpu)};
  flow.activity = {.core = demand.issued / (issue_rate_of_sm(gpu) * gigahertz_of_sms(gpu)),
                   .memory = std::max(demand.dram_bytes / gpu.dram_gigabytes_per_second,
                                      demand.l2_bytes / gpu.l2_gigabytes_per_second)};
  return flow;
}

const BoardModel* board_of(const GpuModel& gpu) { return find_board_model(gpu.board); }

Error no_flow(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("simulated flow");
}

// Rejects inputs with which the simulation would never end.
Result<void> check_flow(const GpuModel& gpu, std::span<const Residents> residents, double instructions) {
  if (residents.empty()) return no_flow("nothing runs", "0 kernels");
  if (!(instructions > 0.0) || !std::isfinite(instructions))
    return no_flow("a run has a positive number of instructions", fmt::format("{}", instructions));
  WATTUNE_ASSIGN(const model::SmRoom room, model::SmRoom::of(gpu.capability));
  std::vector<model::SmRoom::Residents> blocks;
  std::string names;
  for (const Residents& each : residents) {
    WATTUNE_ASSIGN(const model::BlockShare share, room.share_of(each.kernel->block));
    blocks.push_back({share, each.blocks});
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", each.blocks, each.kernel->name);
  }
  if (room.holds(blocks)) return {};
  return no_flow("an SM does not hold these blocks together", std::move(names));
}

// Submits a kernel in a stream of its own, with so many blocks that they never all end.
Result<void> keep_running(SimulatedGpu& run, const Residents& residents) {
  SimulatedKernel kernel = *residents.kernel;
  kernel.blocks = std::uint64_t{1} << 40;
  WATTUNE_ASSIGN(const KernelId id, run.add_kernel(kernel));
  WATTUNE_ASSIGN(const StreamId stream, run.add_stream({}));
  WATTUNE_TRY(run.submit({.kernel = id, .stream = stream, .persistent = Persistence{.per_sm = residents.blocks}}));
  return {};
}

void pass_instructions(SimulatedGpu& run, double until) {
  const Nanoseconds step(2000);
  while (run.counters().instructions < until) run.pass_until(run.now() + step);
}

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

Result<SteadyFlow> simulated_flow(const GpuModel& gpu, std::span<const Residents> residents, const GpuOptions& options,
                                  double instructions) {
  WATTUNE_TRY(check_flow(gpu, residents, instructions));
  SimulatedGpu run(gpu, options);
  for (const Residents& each : residents) WATTUNE_TRY(keep_running(run, each));
  pass_instructions(run, instructions / 3);
  const GpuCounters before = run.counters();
  const Nanoseconds begin = run.now();
  pass_instructions(run, instructions);
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
