#include "simulate/interface/counted_features.h"

#include <gtest/gtest.h>

#include "simulate/interface/steady_flow.h"

namespace wattune::inline v0_1::simulate {
namespace {

using model::Feature;

// Returns 10 SMs at 1 GHz whose FP32 pipe takes four warp instructions per cycle: 40 per nanosecond.
GpuModel small_gpu() {
  GpuModel gpu;
  gpu.sms = 10;
  gpu.clock = Megahertz(1000);
  gpu.pipe_rates[static_cast<std::size_t>(Pipe::fp32)] = 4.0;
  gpu.l1_bytes_per_cycle = 128.0;
  return gpu;
}

TEST(CountedFeatures, AreRatesOfTheGrid) {
  BlockCosts block{.issued = 100, .bytes_read = 3200, .bytes_written = 640, .accesses = 28, .shared_accesses = 20};
  block.pipes[static_cast<std::size_t>(Pipe::fp32)] = 80;
  block.pipes[static_cast<std::size_t>(Pipe::memory)] = 35;
  const auto features = features_of(block, 500, Nanoseconds(2000), small_gpu());  // 0.25 blocks per nanosecond
  EXPECT_DOUBLE_EQ(features[Feature::single_precision], 640);                     // 0.25 * 32 * 80
  EXPECT_DOUBLE_EQ(features[Feature::arithmetic_utilisation], 0.5);               // 0.25 * 80 of 40
  EXPECT_DOUBLE_EQ(features[Feature::shared_accesses], 5);                        // 0.25 * 20
  EXPECT_DOUBLE_EQ(features[Feature::shared_throughput], 640);                    // lines of 128 bytes
  EXPECT_DOUBLE_EQ(features[Feature::shared_utilisation], 0.5);                   // of 128 * 10
  EXPECT_DOUBLE_EQ(features[Feature::dram_throughput], 960);                      // 0.25 * 3840
  EXPECT_DOUBLE_EQ(features[Feature::global_transactions], 30);                   // sectors of 32 bytes
  EXPECT_DOUBLE_EQ(features[Feature::instructions], 25);
  EXPECT_DOUBLE_EQ(features[Feature::load_store_instructions], 7);  // 0.25 * 28, not the cycles that they take
  EXPECT_EQ(features[Feature::texture_transactions], 0);
}

// A warp has 100 instructions: 40 add, 10 load 128 neighbouring bytes, 5 load from 32 places, and 20 access shared
// memory with 128 bytes each. No cache answers.
TEST(CountedFeatures, MeanWhatTheyMeanOfASimulatedKernel) {
  const GpuModel gpu = *find_gpu_model("H100");
  SimulatedKernel kernel{
      .block = {.threads = 256, .registers = 32}, .coalesced = 0.10, .scattered = 0.05, .l1_bytes = 0.20 * 128.0};
  kernel.mix[static_cast<std::size_t>(Pipe::fp32)] = 0.40;
  const Residents residents{&kernel, 8};
  const SteadyFlow flow = steady_flow(gpu, {&residents, 1});
  BlockCosts block{.issued = 100, .bytes_read = 10 * 128 + 5 * 32 * 32, .accesses = 35, .shared_accesses = 20};
  block.pipes[static_cast<std::size_t>(Pipe::fp32)] = 40;
  const auto blocks = static_cast<std::uint64_t>(1e9);
  const Nanoseconds time(100.0 * 1e9 / flow.operations);
  const auto counted = features_of(block, blocks, time, gpu);
  for (std::size_t i = 0; i < model::kFeatures; ++i)
    EXPECT_NEAR(counted.values[i], flow.features.values[i], 1e-9 * flow.features.values[i])
        << to_string(static_cast<Feature>(i));
}

TEST(CountedFeatures, AreNoMoreThanAllOfAPipe) {
  BlockCosts block;
  block.pipes[static_cast<std::size_t>(Pipe::fp32)] = 80;
  block.shared_accesses = 1000;
  const auto features = features_of(block, 500, Nanoseconds(100), small_gpu());
  EXPECT_EQ(features[Feature::arithmetic_utilisation], 1.0);
  EXPECT_EQ(features[Feature::shared_utilisation], 1.0);
}

}  // namespace
}  // namespace wattune::simulate
