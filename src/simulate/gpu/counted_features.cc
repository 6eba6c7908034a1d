#include "wattune/simulate/counted_features.h"

#include <algorithm>

namespace wattune::simulate {

namespace {

using model::Feature;

constexpr double kThreads = 32.0;     // of a warp
constexpr double kLineBytes = 128.0;  // of an access to shared memory

// 1e9 of SM cycles per second.
double gigahertz_of_sms(const GpuModel& gpu) { return gpu.sms * gpu.clock.value() * 1e-3; }

double of_pipe(const BlockCosts& block, Pipe pipe) { return block.pipes[static_cast<std::size_t>(pipe)]; }

// Of the busiest pipe that computes.
double arithmetic_utilisation(const BlockCosts& block, double rate, const GpuModel& gpu) {
  double busiest = 0.0;
  for (const Pipe pipe : {Pipe::fp32, Pipe::integer, Pipe::special, Pipe::fp64}) {
    const double most = gpu.pipe_rates[static_cast<std::size_t>(pipe)] * gigahertz_of_sms(gpu);
    if (most > 0.0) busiest = std::max(busiest, rate * of_pipe(block, pipe) / most);
  }
  return std::min(1.0, busiest);
}

}  // namespace

model::KernelFeatures features_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time,
                                  const GpuModel& gpu) {
  const double rate = static_cast<double>(blocks) / time.value();  // 1e9 blocks per second
  const double bytes = block.bytes_read + block.bytes_written;
  model::KernelFeatures features;
  features[Feature::single_precision] = rate * kThreads * of_pipe(block, Pipe::fp32);
  features[Feature::double_precision] = rate * kThreads * of_pipe(block, Pipe::fp64);
  features[Feature::special_functions] = rate * kThreads * of_pipe(block, Pipe::special);
  features[Feature::arithmetic_utilisation] = arithmetic_utilisation(block, rate, gpu);
  features[Feature::shared_accesses] = rate * block.shared_accesses;
  features[Feature::shared_throughput] = kLineBytes * features[Feature::shared_accesses];
  features[Feature::shared_utilisation] =
      std::min(1.0, features[Feature::shared_throughput] / (gpu.l1_bytes_per_cycle * gigahertz_of_sms(gpu)));
  features[Feature::l2_accesses] = features[Feature::dram_accesses] = rate * bytes / kSectorBytes;
  features[Feature::l2_throughput] = features[Feature::dram_throughput] = rate * bytes;
  features[Feature::instructions] = rate * block.issued;
  features[Feature::load_store_instructions] = rate * of_pipe(block, Pipe::memory);
  features[Feature::global_transactions] = rate * bytes / kSectorBytes;
  return features;
}

}  // namespace wattune::simulate
