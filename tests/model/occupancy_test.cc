#include "wattune/model/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace wattune::inline v0_1::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum OccupancyLimit;

constexpr ComputeCapability kV100{7, 0};
constexpr ComputeCapability kA100{8, 0};
constexpr ComputeCapability kH100{9, 0};

Occupancy of(ComputeCapability gpu, const BlockDemand& block) { return occupancy(gpu, block).value(); }

std::string refusal(ComputeCapability gpu, const BlockDemand& block) {
  return occupancy(gpu, block).error().to_string();
}

// Evaluates equation 4 as printed, rounded down, with registers in NVIDIA's allocation units.
unsigned printed_equation_4(unsigned registers, unsigned warps) {
  const unsigned per_warp = (registers * 32 + 255) / 256 * 256;
  return 65536 / per_warp / warps;
}

// CUDA C++ Best Practices Guide, "Calculating Occupancy": on compute capability 7.0, blocks of 128 threads with 37
// registers reach 75 % with 12 blocks. Blocks of 320 threads reach only 63 %, as 4 of them fit.
TEST(Occupancy, IsThatOfTheVendorsOwnExamples) {
  const Occupancy small = of(kV100, {.threads = 128, .registers = 37});
  EXPECT_EQ(small.blocks, 12u);
  EXPECT_EQ(small.warps, 48u);
  EXPECT_EQ(small.fraction, 0.75);
  const Occupancy large = of(kV100, {.threads = 320, .registers = 37});
  EXPECT_EQ(large.blocks, 4u);
  EXPECT_EQ(large.fraction, 0.625);
  EXPECT_THAT(large.binding(), ElementsAre(registers));
}

// The same guide: 65 536 registers for 2048 threads are 32 each; in its edition for Fermi, 20 each for 1536 threads.
TEST(Occupancy, IsFullUpToTheRegistersThatTheVendorSays) {
  EXPECT_EQ(of(kV100, {.threads = 256, .registers = 32}).fraction, 1.0);
  EXPECT_LT(of(kV100, {.threads = 256, .registers = 33}).fraction, 1.0);
  EXPECT_EQ(of({2, 0}, {.threads = 192, .registers = 20}).fraction, 1.0);
  EXPECT_LT(of({2, 0}, {.threads = 192, .registers = 21}).fraction, 1.0);
}

// 17 registers are 544 for a warp, allocated as 768. A partition's 16 384 hold 21 warps, the SM 84. 40 registers are
// 1280: 12 warps in each partition, 48 in all, 16 blocks of 3.
TEST(Occupancy, GivesRegistersOfEachPartitionToWholeWarps) {
  EXPECT_EQ(printed_equation_4(17, 1), 85u);
  EXPECT_EQ(of(kV100, {.threads = 32, .registers = 17}).allowed_by(registers), 84u);
  EXPECT_EQ(printed_equation_4(40, 3), 17u);
  EXPECT_EQ(of(kV100, {.threads = 96, .registers = 40}).allowed_by(registers), 16u);
}

// Among all shapes that can be launched, 16 to 128 registers and 1 to 32 warps, the printed equation is too high for 11
// %.
TEST(Occupancy, IsLowerThanThePaperPrintsForElevenPercentOfShapes) {
  int valid = 0;
  int too_high = 0;
  for (unsigned count = 16; count <= 128; ++count) {
    for (unsigned warps_of_block = 1; warps_of_block <= 32; ++warps_of_block) {
      const unsigned right = of(kV100, {.threads = 32 * warps_of_block, .registers = count}).allowed_by(registers);
      if (right == 0) continue;
      ++valid;
      EXPECT_GE(printed_equation_4(count, warps_of_block), right);
      too_high += printed_equation_4(count, warps_of_block) > right ? 1 : 0;
    }
  }
  EXPECT_NEAR(static_cast<double>(too_high) / valid, 0.11, 0.005);
}

struct Fit {
  ComputeCapability gpu;
  BlockDemand block;
  unsigned blocks;
  std::vector<OccupancyLimit> binding;
};

// Each limit on its own, on GPUs that differ in it. An SM holds: 8.6 48 warps and 16 blocks; 7.5 32 and 16; 8.9 48 and
// 24; 3.0 64 and 16; 2.0 48 and 8; all others 64 and 32.
TEST(Occupancy, IsBoundByTheScarcestOfAll) {
  const std::vector<Fit> fits = {
      {kA100, {.threads = 1024, .registers = 32}, 2, {warps, registers}},  // 2048 threads, 65 536 registers
      {{8, 6}, {.threads = 1024, .registers = 32}, 1, {warps}},            // 32 of 48 warps
      {{7, 5}, {.threads = 1024, .registers = 32}, 1, {warps}},
      {{8, 6}, {.threads = 32, .registers = 16}, 16, {blocks}},
      {{8, 9}, {.threads = 32, .registers = 16}, 24, {blocks}},
      {{3, 0}, {.threads = 64, .registers = 16}, 16, {blocks}},
      {{2, 0}, {.threads = 128, .registers = 16}, 8, {blocks}},
      {{12, 0}, {.threads = 64, .registers = 32}, 24, {warps, blocks, barriers}},
      // 48 KB + 1 KB for the driver: 3 in 164 KB, 4 in 228 KB. Before Ampere the driver takes none: 2 in 96 KB.
      {kA100, {.threads = 64, .registers = 16, .static_shared_bytes = 49152}, 3, {shared_memory}},
      {kH100, {.threads = 64, .registers = 16, .dynamic_shared_bytes = 49152}, 4, {shared_memory}},
      {kV100, {.threads = 64, .registers = 16, .static_shared_bytes = 49152}, 2, {shared_memory}},
      {kH100, {.threads = 32, .registers = 16, .barriers = 16}, 4, {barriers}},  // 64 for all
      {kA100, {.threads = 32, .registers = 16, .barriers = 16}, 32, {blocks}},
      // Pascal allocates 6144 bytes for 6000; its SM has 96 KB.
      {{6, 1}, {.threads = 32, .registers = 16, .static_shared_bytes = 6000}, 16, {shared_memory}},
      // 96 threads are 3 warps, and so are 65: 64 / 3.
      {kA100, {.threads = 96, .registers = 16}, 21, {warps}},
      {kA100, {.threads = 65, .registers = 16}, 21, {warps}},
      // 3.7 has twice the registers: 64 each for 2048 threads.
      {{3, 7}, {.threads = 256, .registers = 64}, 8, {warps, registers}},
      {{3, 5}, {.threads = 256, .registers = 64}, 4, {registers}}};
  for (const Fit& fit : fits) {
    const Occupancy found = of(fit.gpu, fit.block);
    const auto where = testing::Message() << fit.gpu.major << "." << fit.gpu.minor << ", " << fit.block.threads;
    EXPECT_EQ(found.blocks, fit.blocks) << where;
    EXPECT_EQ(found.binding(), fit.binding) << where;
    EXPECT_EQ(found.warps, fit.blocks * ((fit.block.threads + 31) / 32)) << where;
  }
}

// 128 registers for each of 544 threads are 69 632 of 65 536. The check rounds 17 warps up to 20, so 104 registers
// (3328 for a warp, 66 560) do not fit either, and 96 (3072, 61 440) do.
TEST(Occupancy, IsNothingWhereOneBlockDoesNotFit) {
  EXPECT_EQ(of(kV100, {.threads = 544, .registers = 128}).blocks, 0u);
  EXPECT_EQ(of(kV100, {.threads = 544, .registers = 104}).blocks, 0u);
  EXPECT_EQ(of(kV100, {.threads = 544, .registers = 96}).blocks, 1u);
  EXPECT_THAT(of(kV100, {.threads = 544, .registers = 104}).binding(), ElementsAre(registers));
  EXPECT_EQ(of({3, 0}, {.threads = 32, .registers = 64}).blocks, 0u);  // 63 at most
  EXPECT_EQ(of({3, 5}, {.threads = 32, .registers = 255}).blocks, 8u);
  EXPECT_EQ(of(kH100, {.threads = 32, .dynamic_shared_bytes = 227 * 1024}).blocks, 1u);
  const Occupancy large = of(kH100, {.threads = 32, .dynamic_shared_bytes = 227 * 1024 + 1});
  EXPECT_EQ(large.blocks, 0u);
  EXPECT_EQ(large.fraction, 0.0);
  EXPECT_THAT(large.binding(), ElementsAre(shared_memory));
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(of(kH100, {.threads = 32, .static_shared_bytes = 16, .dynamic_shared_bytes = kHuge}).blocks, 0u);
}

TEST(Occupancy, IsNotBoundByWhatABlockDoesNotUse) {
  const Occupancy bare = of(kV100, {.threads = 64, .registers = 0, .barriers = 0});
  EXPECT_EQ(bare.blocks, 32u);
  EXPECT_EQ(bare.allowed_by(registers), Occupancy::kUnlimited);
  EXPECT_EQ(bare.allowed_by(shared_memory), Occupancy::kUnlimited);
  EXPECT_EQ(bare.allowed_by(barriers), Occupancy::kUnlimited);
}

// 6.0 has two partitions of 32 768 registers: 10 warps of 3072 in each; 6.1 four of 16 384: 5 in each.
TEST(Occupancy, KnowsHowRegistersArePartitioned) {
  const BlockDemand block{.threads = 32, .registers = 90};
  EXPECT_EQ(of({6, 0}, block).allowed_by(registers), 20u);
  const BlockDemand heavy{.threads = 32, .registers = 150};  // 4864 for a warp: 6 in half, 3 in a quarter
  EXPECT_EQ(of({6, 0}, heavy).allowed_by(registers), 12u);
  EXPECT_EQ(of({6, 1}, heavy).allowed_by(registers), 12u);
  const BlockDemand wide{.threads = 544, .registers = 104};  // refused on 6.1, so 6.0 must not run it either
  EXPECT_EQ(of({6, 0}, wide).blocks, 0u);
}

// 8 KB + 1 KB reserved: 16 KB hold one, 32 KB three. 20 KB + 1 KB do not fit in 16 KB, which then becomes 32 KB.
TEST(Occupancy, FollowsTheCarveout) {
  BlockDemand block{.threads = 32, .registers = 16, .static_shared_bytes = 8192, .carveout_bytes = 16384};
  EXPECT_EQ(of(kA100, block).blocks, 1u);
  block.carveout_bytes = 16385;
  EXPECT_EQ(of(kA100, block).blocks, 3u);
  block.carveout_bytes.reset();
  EXPECT_EQ(of(kA100, block).blocks, 18u);  // 164 / 9
  block.static_shared_bytes = 20480;
  block.carveout_bytes = 16384;
  EXPECT_EQ(of(kA100, block).blocks, 1u);
  EXPECT_EQ(of({3, 5}, block).blocks, 2u);  // 48 KB: a block that does not fit gets all there is
}

TEST(Occupancy, RefusesWhatNoBlockCanBe) {
  EXPECT_THAT(refusal(kA100, {.threads = 0}), HasSubstr("a block has 1 to 1024 threads: `0`"));
  EXPECT_THAT(refusal(kA100, {.threads = 1025}), HasSubstr("`1025`"));
  EXPECT_THAT(refusal(kA100, {.threads = 32, .barriers = 17}), HasSubstr("0 to 16 barriers: `17`"));
  EXPECT_THAT(refusal(kA100, {.threads = 32, .carveout_bytes = 167937}), HasSubstr("more than the 167936 bytes"));
  EXPECT_THAT(refusal({1, 3}, {.threads = 32}), HasSubstr("not known: `1.3` (known are 2.0, 2.1, 3.0"));
  EXPECT_THAT(refusal({9, 7}, {.threads = 32}), HasSubstr("`9.7`"));
}

TEST(ComputeCapabilityText, IsReadAsCompilersAndPeopleWriteIt) {
  EXPECT_EQ(compute_capability("sm_90").value(), kH100);
  EXPECT_EQ(compute_capability("sm_120").value(), (ComputeCapability{12, 0}));
  EXPECT_EQ(compute_capability("8.0").value(), kA100);
  EXPECT_EQ(compute_capability("12.1").value(), (ComputeCapability{12, 1}));
  for (const char* text : {"", "sm_", "sm_9", "90", "9", "9.", ".0", "9.00", "sm_90a", "gfx90a", "-9.0"})
    EXPECT_THAT(compute_capability(text).error().to_string(), HasSubstr("this is no compute capability")) << text;
}

TEST(OccupancyFilter, KeepsWhatIsNearTheBest) {
  const std::vector<double> fractions = {0.5, 0.75, 0.0, 0.6, 0.59};
  EXPECT_THAT(with_high_occupancy(fractions).value(), ElementsAre(1, 3));  // 0.8 * 0.75 = 0.6
  EXPECT_THAT(with_high_occupancy(fractions, {.share_of_best = 1.0}).value(), ElementsAre(1));
  EXPECT_THAT(with_high_occupancy(fractions, {.share_of_best = 0.0}).value(), ElementsAre(0, 1, 3, 4));
}

TEST(OccupancyFilter, TakesAnAbsoluteBoundToo) {
  const std::vector<double> fractions = {0.5, 0.75, 0.9};
  EXPECT_THAT(with_high_occupancy(fractions, {.at_least = 0.75}).value(), ElementsAre(1, 2));
  EXPECT_THAT(with_high_occupancy(fractions, {.at_least = 0.95}).value(), IsEmpty());
}

TEST(OccupancyFilter, RefusesWhatIsNoShare) {
  const std::vector<double> wrong = {0.5, 80.0};
  EXPECT_THAT(with_high_occupancy(wrong).error().to_string(), HasSubstr("an occupancy is not from 0 to 1: `80`"));
  EXPECT_THAT(with_high_occupancy({}, {.at_least = 80.0}).error().to_string(), HasSubstr("`80`"));
}

}  // namespace
}  // namespace wattune::model
