#include <algorithm>

#include "simulate/gpu/demand.h"
#include "simulate/gpu/gpu_units.h"
#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::simulate {

namespace {

double share(double amount, double most) { return most > 0.0 ? std::min(1.0, amount / most) : 0.0; }

}  // namespace

// Computes the use of resources. Bytes per nanosecond equal gigabytes per second.
std::vector<double> use_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu) {
  const double cycles = time.value() * gigahertz_of_sms(gpu);
  std::vector<double> use = {share(demand.issued, cycles * issue_rate_of_sm(gpu))};
  for (std::size_t i = 0; i < kPipes; ++i) use.push_back(share(demand.pipes[i], cycles * gpu.pipe_rates[i]));
  use.push_back(share(demand.l2_bytes, time.value() * gpu.l2_gigabytes_per_second));
  use.push_back(share(demand.dram_bytes, time.value() * gpu.dram_gigabytes_per_second));
  return use;
}

std::vector<double> use_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time, const GpuModel& gpu) {
  return use_of(demand_of(block, blocks), time, gpu);
}

std::vector<double> use_of(const SimulatedKernel& kernel, Nanoseconds time, const GpuCounters& moved,
                           const GpuModel& gpu) {
  Demand demand = demand_of(kernel, moved.instructions);
  demand.l2_bytes = moved.l2_bytes;
  demand.dram_bytes = moved.dram_bytes;
  return use_of(demand, time, gpu);
}

std::string_view name_of_resource(std::size_t place) {
  if (place == 0) return "issue";
  if (place < kSmResources) return to_string(static_cast<Pipe>(place - 1));
  return place == kSmResources ? "l2" : "dram";
}

model::Utilisation utilisation_of(std::span<const double> use) {
  return {.pipeline = use.front(), .memory = use.back()};
}

const GpuModel* gpu_model_of_device(std::string_view device_name) {
  const GpuModel* found = nullptr;
  for (const GpuModel& gpu : gpu_models())
    if (device_name.find(gpu.name) != std::string_view::npos && (!found || gpu.name.size() > found->name.size()))
      found = &gpu;
  return found;
}

}  // namespace wattune::simulate
