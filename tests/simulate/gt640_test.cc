#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"

namespace wattune::inline v0_1::simulate {
namespace {

using model::Feature;
using testing::HasSubstr;

Efficiency at_highest(const SimulatedKernel& kernel, unsigned blocks) {
  const Residents residents{&kernel, blocks};
  return efficiency_at(gt640(), highest_clocks(gt640()), {&residents, 1});
}

const Gt640Kernel& kernel_named(const char* name) { return *find_gt640_kernel(name); }

// Table 2: 6 clocks of the core times 6 of the memory.
TEST(Gt640, HasThirtySixPairsOfClocks) {
  const auto pairs = clock_pairs(gt640());
  ASSERT_EQ(pairs.size(), 36U);
  EXPECT_EQ(pairs.front(), (ClockPair{Megahertz(562), Megahertz(324)}));
  EXPECT_EQ(pairs.back(), highest_clocks(gt640()));
  EXPECT_EQ(highest_clocks(gt640()), (ClockPair{Megahertz(1228), Megahertz(710)}));
}

TEST(Gt640, AGpuWithoutABoardHasItsOwnClocksOnly) { EXPECT_EQ(clock_pairs(*find_gpu_model("C2050")).size(), 1U); }

TEST(Gt640, EachKernelAloneIsWhatThePaperPrints) {
  ASSERT_EQ(gt640_kernels().size(), 11U);
  for (const Gt640Kernel& row : gt640_kernels()) {
    const SteadyFlow flow = at_highest(row.kernel, row.resident).flow;
    EXPECT_NEAR(flow.operations, row.gops, 0.01 * row.gops) << row.kernel.name;
    EXPECT_NEAR(flow.dram_gigabytes, row.gigabytes_per_second, 0.01 * row.gigabytes_per_second) << row.kernel.name;
    EXPECT_TRUE(check(row.kernel)) << row.kernel.name;
  }
}

// Figure 5: five of eight blocks are as fast as all.
TEST(Gt640, FiveBlocksOfSamplerankSaturateTheMemory) {
  const SimulatedKernel& kernel = kernel_named("Samplerank").kernel;
  const double all = at_highest(kernel, 8).flow.operations;
  EXPECT_NEAR(at_highest(kernel, 5).flow.operations, all, 0.01 * all);
  EXPECT_LT(at_highest(kernel, 4).flow.operations, 0.9 * all);
}

// Table 1, fitted: 166 at the highest and 177 at the best clocks for each kernel, in the mix that 3:5 runs.
TEST(Gt640, HotspotAndMergehistOneAfterTheOtherAreAsThePaperPrints) {
  const SimulatedKernel& hotspot = kernel_named("Hotspot").kernel;
  const SimulatedKernel& mergehist = kernel_named("Mergehist").kernel;
  const std::array pair = {Residents{&hotspot, 3}, Residents{&mergehist, 5}};
  const auto rates = efficiency_at(gt640(), highest_clocks(gt640()), pair).flow.rates;
  const auto in_turn = [&](double first, double second) {
    return 1e-6 * (rates[0] + rates[1]) / (rates[0] / first + rates[1] / second);
  };
  const Residents one{&hotspot, 8}, other{&mergehist, 8};
  EXPECT_NEAR(in_turn(at_highest(hotspot, 8).operations_per_joule(), at_highest(mergehist, 8).operations_per_joule()),
              166.0, 4.0);
  EXPECT_NEAR(in_turn(best_efficiency(gt640(), {&one, 1}).operations_per_joule(),
                      best_efficiency(gt640(), {&other, 1}).operations_per_joule()),
              177.0, 4.0);
}

// Time_step waits for DRAM, so its rate is the same at half the core's clock. At a constant voltage only clocking is
// saved: 9.5 mW for each of 666 MHz.
TEST(Gt640, LowerCoreClocksPayThroughClockingAlone) {
  const SimulatedKernel& kernel = kernel_named("Time_step").kernel;
  const Residents all{&kernel, 10};
  const Efficiency high = efficiency_at(gt640(), {Megahertz(1228), Megahertz(710)}, {&all, 1});
  const Efficiency low = efficiency_at(gt640(), {Megahertz(562), Megahertz(710)}, {&all, 1});
  EXPECT_NEAR(low.flow.operations, high.flow.operations, 1e-3 * high.flow.operations);
  EXPECT_NEAR((high.power - low.power).value(), 0.0095 * 666, 0.02);
}

// DRAM's 400 cycles of 1228 MHz are 200 of 614.
TEST(Gt640, LatencyOfDramStaysTheSameInNanoseconds) {
  const GpuModel half = at_clocks(gt640(), {Megahertz(614), Megahertz(355)});
  EXPECT_DOUBLE_EQ(half.dram_latency, 0.5 * gt640().dram_latency);
  EXPECT_DOUBLE_EQ(half.l2_latency, gt640().l2_latency);
  EXPECT_DOUBLE_EQ(half.dram_gigabytes_per_second, 0.5 * gt640().dram_gigabytes_per_second);
}

TEST(Gt640, RunsComeToTheRatesThatTheFlowHas) {
  const SimulatedKernel& hotspot = kernel_named("Hotspot").kernel;
  const SimulatedKernel& srad = kernel_named("Srad").kernel;
  const std::array pair = {Residents{&hotspot, 4}, Residents{&srad, 4}};
  const SteadyFlow flow = steady_flow(gt640(), pair);
  const SteadyFlow fast = simulated_flow(gt640(), pair, {.fidelity = Fidelity::fast}, 2e7).value();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(fast.rates[i], flow.rates[i], 0.02 * flow.rates[i]) << i;
}

// Eight blocks of each fit alone but not together; kernels that do not fit would never execute anything.
TEST(Gt640, AFlowThatWouldNeverBeginIsRefused) {
  const auto refusal = [](std::span<const Residents> residents, double instructions = 3e5) {
    return simulated_flow(gt640(), residents, {}, instructions).error().to_string();
  };
  const SimulatedKernel& hotspot = kernel_named("Hotspot").kernel;
  const SimulatedKernel& srad = kernel_named("Srad").kernel;
  EXPECT_THAT(refusal({}), HasSubstr("nothing runs"));
  const std::array pair = {Residents{&hotspot, 8}, Residents{&srad, 8}};
  EXPECT_THAT(refusal(pair), HasSubstr("an SM does not hold these blocks together: `8 Hotspot, 8 Srad`"));
  const Residents none{&srad, 0}, some{&srad, 1};
  EXPECT_THAT(refusal({&none, 1}), HasSubstr("an SM does not hold so many blocks of this kernel: `0`"));
  EXPECT_THAT(refusal({&some, 1}, 0.0), HasSubstr("a positive number of instructions: `0`"));
  SimulatedKernel tensor = srad;
  tensor.mix[static_cast<std::size_t>(Pipe::tensor)] = 0.01;
  const Residents unable{&tensor, 1};
  EXPECT_THAT(refusal({&unable, 1}), HasSubstr("GT640 has no such pipe: `tensor`"));
}

// Kernels that are fitted to the fast fidelity behave almost the same in detail.
TEST(Gt640, EachKernelAloneIsNearlyTheSameInDetail) {
  for (const Gt640Kernel& row : gt640_kernels()) {
    const Residents all{&row.kernel, row.resident};
    const SteadyFlow detailed = simulated_flow(gt640(), {&all, 1}, {.fidelity = Fidelity::detailed}, 3e5).value();
    EXPECT_NEAR(detailed.operations, row.gops, 0.08 * row.gops) << row.kernel.name;
  }
}

// The board is told how much the GPU works relative to what its clocks allow. The leakage of 14.2 W differs from that
// at 50 °C.
TEST(Gt640, ALockedBoardDrawsWhatTheFlowSays) {
  SimulatedBoard board(*find_board_model("GT640"));
  board.hold_context(true);
  board.lock_clock(Megahertz(705));
  board.lock_memory(Megahertz(480));
  board.pass(nanoseconds_from_seconds(1));
  SimulatedKernel kernel = kernel_named("Srad").kernel;
  SimulatedGpu gpu(gt640(), {.board = &board});
  const auto id = gpu.add_kernel(kernel).value();
  gpu.submit({.kernel = id, .blocks = 320}).value();
  const auto done = gpu.wait();
  const Residents all{&kernel, 8};
  const Efficiency expected = efficiency_at(gt640(), {Megahertz(705), Megahertz(480)}, {&all, 1});
  EXPECT_NEAR((gpu.counters().energy / (done->end - done->begin)).value(), expected.power.value(),
              0.05 * expected.power.value());
}

TEST(Gt640, FeaturesAreRatesOfAllThatRuns) {
  const Gt640Kernel& srad = kernel_named("Srad");
  const model::KernelFeatures features = at_highest(srad.kernel, 8).flow.features;
  EXPECT_NEAR(features[Feature::instructions], 5.3, 0.05);
  EXPECT_NEAR(features[Feature::dram_throughput], 19.5, 0.2);
  EXPECT_NEAR(features[Feature::single_precision], 5.3 * 32 * 0.5, 1.0);
  EXPECT_EQ(features[Feature::texture_transactions], 0.0);
  for (const double value : features.values) EXPECT_TRUE(std::isfinite(value) && value >= 0.0);
}

TEST(Gt640, GeneratedKernelsFollowTheSeedAndCanBe) {
  const auto micro = gt640_micro_kernels(190, 1);
  ASSERT_EQ(micro.size(), 190U);
  EXPECT_EQ(micro[7].scattered, gt640_micro_kernels(190, 1)[7].scattered);
  EXPECT_NE(micro[7].scattered, gt640_micro_kernels(190, 2)[7].scattered);
  for (const auto& kernels : {micro, gt640_varied_kernels(25, 1), gt640_varied_kernels(28, 2)}) {
    std::set<std::string> names;
    for (const SimulatedKernel& kernel : kernels) {
      ASSERT_TRUE(check(kernel)) << kernel.name;
      EXPECT_GT(at_highest(kernel, 8).flow.operations, 0.0) << kernel.name;
      names.insert(kernel.name);
    }
    EXPECT_EQ(names.size(), kernels.size());
  }
}

// Otherwise a network that always answers the same would be right.
TEST(Gt640, GeneratedKernelsHaveDifferentBestClocks) {
  std::set<double> core, memory;
  for (const SimulatedKernel& kernel : gt640_micro_kernels(190, 1)) {
    const Residents all{&kernel, 8};
    const ClockPair best = best_efficiency(gt640(), {&all, 1}).clocks;
    core.insert(best.core.value());
    memory.insert(best.memory.value());
  }
  EXPECT_GE(core.size(), 3U);
  EXPECT_GE(memory.size(), 3U);
}

}  // namespace
}  // namespace wattune::simulate
