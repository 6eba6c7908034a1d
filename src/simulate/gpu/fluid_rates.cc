#include "simulate/gpu/fluid_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "simulate/gpu/gpu_units.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr std::size_t kIssue = kPipes;
constexpr std::size_t kL1 = kPipes + 1;
constexpr double kSaturated = 1.0 - 1e-9;
constexpr double kClose = 1e-6;  // relative precision with which a delay is found
constexpr int kMostRounds = 6;   // most rounds in which delays of L2 and DRAM are found in turns

struct Traffic {
  double l2 = 0.0;  // demand for L2 as a share of its capacity
  double dram = 0.0;
};

// Returns the share of the loss from mixed requests that DRAM suffers. The share is 1, the whole loss, if the next
// request comes from another kernel as likely as from the same one.
double mixing(std::span<const double> dram_of_kernel) {
  const double all = std::accumulate(dram_of_kernel.begin(), dram_of_kernel.end(), 0.0);
  if (all <= 0.0) return 0.0;
  double alike = 0.0;
  for (const double each : dram_of_kernel) alike += each / all * each / all;
  return std::min(1.0, 2.0 * (1.0 - alike));
}

Traffic traffic(const FluidLimits& limits, std::span<const FluidSm> sms, const FluidDelays& delays) {
  std::vector<double> dram_of_kernel;
  double l2 = 0.0;
  for (const FluidSm& sm : sms) {
    const std::vector<double> rates = local_rates(limits, sm, delays);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const FluidLoad& load = sm.loads[i];
      const double instructions = rates[i] * load.warps * sm.count;
      if (dram_of_kernel.size() <= load.kernel) dram_of_kernel.resize(load.kernel + 1, 0.0);
      dram_of_kernel[load.kernel] += instructions * load.dram_time;
      l2 += instructions * load.l2_bytes;
    }
  }
  const double dram = std::accumulate(dram_of_kernel.begin(), dram_of_kernel.end(), 0.0);
  const double served = limits.dram_bytes_per_cycle * (1.0 - limits.dram_mixing_loss * mixing(dram_of_kernel));
  return {l2 / limits.l2_bytes_per_cycle, dram / served};
}

// Finds the least delay with which the demand is not above the capacity. `delay` names the member of `delays` to set,
// and `which` the member of Traffic that is limited.
void settle(const FluidLimits& limits, std::span<const FluidSm> sms, FluidDelays& delays, double FluidDelays::*delay,
            double Traffic::*which) {
  const auto asked = [&](double value) {
    delays.*delay = value;
    return traffic(limits, sms, delays).*which;
  };
  const double guess = delays.*delay;
  if (asked(0.0) <= 1.0) return;
  double most = std::max(1.0, 1.1 * guess);
  while (asked(most) > 1.0) most *= 2.0;
  double least = std::min(most, 0.9 * guess);
  if (asked(least) <= 1.0) least = 0.0;
  while (most - least > kClose * most) {
    const double middle = 0.5 * (least + most);
    (asked(middle) > 1.0 ? least : most) = middle;
  }
  delays.*delay = most;
}

// Returns the extra latency, in cycles, that requests in flight cause. Each request delays the others on its SM by
// `latency_per_request`. The number of requests in flight depends on how long they take, so the latency is found by
// iteration.
double linear_latency(const GpuModel& gpu, std::span<const SimulatedKernel> kernels,
                      std::span<const ResidentBlocks> residents, std::span<const FluidLoad> loads) {
  double extra = 0.0;
  for (int round = 0; round < 20 && gpu.latency_per_request > 0.0; ++round) {
    double in_flight = 0.0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const SimulatedKernel& kernel = kernels[residents[i].kernel];
      const double waiting = loads[i].cycles - kernel.issue_distance(gpu) + loads[i].l2_waits * extra;
      const double accesses = kernel.coalesced + kernel.scattered;
      if (accesses > 0.0)
        in_flight += loads[i].warps * waiting / (kernel.issue_distance(gpu) + waiting) * kernel.memory_parallelism *
                     kernel.requests() / accesses;
    }
    extra = 0.5 * (extra + gpu.latency_per_request * in_flight);
  }
  return extra;
}

FluidLoad load_alone(const GpuModel& gpu, Megahertz clock, const SimulatedKernel& kernel, double others) {
  const double hit = hit_beside(kernel, others);
  const double accesses = (kernel.coalesced + kernel.scattered) / kernel.memory_parallelism;
  // An access waits for the slowest of its requests. The slowest request goes to DRAM unless all requests hit L2.
  const double dram_latency = gpu.dram_latency * (clock / gpu.clock);
  const double dram_accesses =
      (kernel.coalesced * (1.0 - hit) + kernel.scattered * (1.0 - std::pow(hit, kernel.scattered_requests))) /
      kernel.memory_parallelism;
  const double spread = kernel.scattered * (kernel.scattered_requests - 1.0) / of_pipe(gpu.pipe_rates, Pipe::memory) /
                        kernel.memory_parallelism;
  FluidLoad load;
  load.l2_waits = accesses;
  load.dram_waits = dram_accesses;
  load.cycles =
      kernel.issue_distance(gpu) + (accesses - dram_accesses) * gpu.l2_latency + dram_accesses * dram_latency + spread;
  std::ranges::copy(kernel.mix, load.use.begin());
  of_pipe(load.use, Pipe::memory) += kernel.requests();
  load.use[kIssue] = 1.0;
  load.use[kL1] = kernel.l1_bytes;
  load.l2_bytes = kernel.l2_bytes();
  load.dram_bytes = kernel.dram_bytes(hit);
  load.dram_time = (1.0 - hit) *
                   (kernel.coalesced * kernel.coalesced_bytes +
                    kernel.scattered * kernel.scattered_requests * kernel.scattered_bytes * kernel.scattered_dram_cost);
  return load;
}

}  // namespace

FluidLimits limits_of(const GpuModel& gpu, const GpuClocks& clocks) {
  FluidLimits limits;
  std::ranges::copy(gpu.pipe_rates, limits.local.begin());
  limits.local[kIssue] = issue_rate_of_sm(gpu);
  limits.local[kL1] = gpu.l1_bytes_per_cycle;
  limits.l2_bytes_per_cycle = bytes_per_cycle(gpu.l2_gigabytes_per_second, gpu.clock);  // L2 has the cores' clock
  limits.dram_bytes_per_cycle = bytes_per_cycle(gpu.dram_gigabytes_per_second * clocks.memory, clocks.core);
  limits.dram_mixing_loss = gpu.dram_mixing_loss;
  return limits;
}

FluidSm fluid_sm(const GpuModel& gpu, Megahertz clock, std::span<const SimulatedKernel> kernels,
                 std::span<const ResidentBlocks> residents) {
  double all_warps = 0.0;
  for (const ResidentBlocks& each : residents) all_warps += each.blocks * kernels[each.kernel].warps();
  FluidSm sm;
  for (const ResidentBlocks& each : residents) {
    const double warps = each.blocks * kernels[each.kernel].warps();
    sm.loads.push_back(load_alone(gpu, clock, kernels[each.kernel], 1.0 - warps / all_warps));
    sm.loads.back().kernel = each.kernel;
    sm.loads.back().warps = warps;
  }
  const double extra = linear_latency(gpu, kernels, residents, sm.loads);
  for (FluidLoad& load : sm.loads) load.cycles += load.l2_waits * extra;
  return sm;
}

// Raises all rates together (max-min fairness). The rate of a load stops rising when latency allows no higher rate, or
// when a resource that the load uses is exhausted.
std::vector<double> local_rates(const FluidLimits& limits, const FluidSm& sm, const FluidDelays& delays) {
  std::vector<double> rates(sm.loads.size(), 0.0);
  std::vector<bool> stopped(sm.loads.size(), false);
  LocalResources left = limits.local;
  double level = 0.0;
  for (std::size_t still = sm.loads.size(); still > 0;) {
    double step = std::numeric_limits<double>::infinity();
    LocalResources slope = {};
    const auto most = [&](const FluidLoad& load) {
      return 1.0 / (load.cycles + load.l2_waits * delays.l2 + load.dram_waits * delays.dram);
    };
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (stopped[i]) continue;
      step = std::min(step, most(sm.loads[i]) - level);
      for (std::size_t r = 0; r < kLocalResources; ++r) slope[r] += sm.loads[i].warps * sm.loads[i].use[r];
    }
    for (std::size_t r = 0; r < kLocalResources; ++r)
      if (slope[r] > 0.0) step = std::min(step, left[r] / slope[r]);
    level += step;
    for (std::size_t r = 0; r < kLocalResources; ++r) left[r] -= step * slope[r];
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (stopped[i]) continue;
      rates[i] = level;
      bool stop = level >= most(sm.loads[i]) * kSaturated;
      for (std::size_t r = 0; r < kLocalResources; ++r)
        stop = stop || (sm.loads[i].use[r] > 0.0 && left[r] <= (1.0 - kSaturated) * limits.local[r]);
      if (stop) stopped[i] = true, --still;
    }
  }
  return rates;
}

FluidDelays settled_delays(const FluidLimits& limits, std::span<const FluidSm> sms, const FluidDelays& guess) {
  FluidDelays delays = guess;
  for (int round = 0; round < kMostRounds; ++round) {
    settle(limits, sms, delays, &FluidDelays::dram, &Traffic::dram);
    const FluidDelays before = delays;
    settle(limits, sms, delays, &FluidDelays::l2, &Traffic::l2);
    if (delays.l2 == before.l2) break;
  }
  return delays;
}

}  // namespace wattune::simulate
