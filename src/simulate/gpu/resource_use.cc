#include <algorithm>

#include "wattune/simulate/ptx_profile.h"

namespace wattune::simulate {

namespace {

// What a grid asks of a GPU in all.
struct Demand {
  double issued = 0.0;
  std::array<double, kPipes> pipes = {};
  double l2_bytes = 0.0;
  double dram_bytes = 0.0;
};

double share(double amount, double most) { return most > 0.0 ? std::min(1.0, amount / most) : 0.0; }

// Nanoseconds times megahertz are thousandths of a cycle, bytes over nanoseconds gigabytes per second.
std::vector<double> use_of(const Demand& demand, Nanoseconds time, const GpuModel& gpu) {
  const double sm_cycles = time.value() * gpu.clock.value() * 1e-3 * gpu.sms;
  std::vector<double> use = {share(demand.issued, sm_cycles * gpu.schedulers * gpu.issue_rate)};
  for (std::size_t i = 0; i < kPipes; ++i) use.push_back(share(demand.pipes[i], sm_cycles * gpu.pipe_rates[i]));
  use.push_back(share(demand.l2_bytes, time.value() * gpu.l2_gigabytes_per_second));
  use.push_back(share(demand.dram_bytes, time.value() * gpu.dram_gigabytes_per_second));
  return use;
}

}  // namespace

std::vector<double> use_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time, const GpuModel& gpu) {
  const auto count = static_cast<double>(blocks);
  const double bytes = (block.bytes_read + block.bytes_written) * count;
  Demand demand{.issued = block.issued * count, .l2_bytes = bytes, .dram_bytes = bytes};
  for (std::size_t i = 0; i < kPipes; ++i) demand.pipes[i] = block.pipes[i] * count;
  return use_of(demand, time, gpu);
}

std::vector<double> use_of(const SimulatedKernel& kernel, Nanoseconds time, const GpuCounters& moved,
                           const GpuModel& gpu) {
  Demand demand{.issued = moved.instructions, .pipes = {}, .l2_bytes = moved.l2_bytes, .dram_bytes = moved.dram_bytes};
  for (std::size_t i = 0; i < kPipes; ++i) demand.pipes[i] = kernel.mix[i] * demand.issued;
  demand.pipes[static_cast<std::size_t>(Pipe::memory)] += kernel.requests() * demand.issued;
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
