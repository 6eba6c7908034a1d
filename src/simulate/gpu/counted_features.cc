#include "simulate/interface/counted_features.h"

#include <algorithm>

#include "simulate/gpu/demand.h"
#include "simulate/gpu/gpu_units.h"

namespace wattune::inline v0_1::simulate {

namespace {

using model::Feature;

// Returns the use of the busiest arithmetic pipe. `use` holds the use of the issue slots, followed by that of the
// pipes.
double arithmetic_utilisation(const std::vector<double>& use) {
  double busiest = 0.0;
  for (const Pipe pipe : {Pipe::fp32, Pipe::integer, Pipe::special, Pipe::fp64})
    busiest = std::max(busiest, use[1 + static_cast<std::size_t>(pipe)]);
  return busiest;
}

}  // namespace

model::KernelFeatures features_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu) {
  const double rate = 1.0 / time.value();  // nanoseconds as the unit of time give rates in 1e9 per second
  model::KernelFeatures features;
  features[Feature::single_precision] = rate * kWarpThreads * of_pipe(demand.pipes, Pipe::fp32);
  features[Feature::double_precision] = rate * kWarpThreads * of_pipe(demand.pipes, Pipe::fp64);
  features[Feature::special_functions] = rate * kWarpThreads * of_pipe(demand.pipes, Pipe::special);
  features[Feature::arithmetic_utilisation] = arithmetic_utilisation(use_of(demand, time, gpu));
  features[Feature::shared_accesses] = rate * demand.shared_bytes / kLineBytes;
  features[Feature::shared_throughput] = rate * demand.shared_bytes;
  features[Feature::shared_utilisation] =
      std::min(1.0, features[Feature::shared_throughput] / (gpu.l1_bytes_per_cycle * gigahertz_of_sms(gpu)));
  features[Feature::l2_accesses] = rate * demand.l2_bytes / kSectorBytes;
  features[Feature::l2_throughput] = rate * demand.l2_bytes;
  features[Feature::dram_accesses] = rate * demand.dram_bytes / kSectorBytes;
  features[Feature::dram_throughput] = rate * demand.dram_bytes;
  features[Feature::instructions] = rate * demand.issued;
  features[Feature::load_store_instructions] = rate * demand.accesses;
  features[Feature::global_transactions] = features[Feature::l2_accesses];  // L1 is assumed to answer no access
  return features;
}

model::KernelFeatures features_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time,
                                  const GpuModel& gpu) {
  return features_of(demand_of(block, blocks), time, gpu);
}

}  // namespace wattune::simulate
