// Counts of a PtxRun for kernels of a few instructions.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "simulate/interface/ptx_profile.h"
#include "simulate/ptx_harness.h"

namespace wattune::inline v0_1::simulate {
namespace {

double of(const BlockCosts& block, Pipe pipe) { return block.pipes[static_cast<std::size_t>(pipe)]; }

// Returns a kernel whose threads each load and store 4 bytes that are `stride` apart, and add to shared memory after a
// barrier.
std::string striding(const std::string& body = "") {
  return kPtxHead + R"(
.visible .entry k(.param .u64 data, .param .u32 stride)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<4>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [stride];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r3, %r2, %r1;
  cvta.to.global.u64 %rd2, %rd1;
  mad.wide.u32 %rd3, %r3, 1, %rd2;
)" + body +
         R"(
  ret;
}
)";
}

class PtxCostsTest : public testing::Test {
 protected:
  static BlockCosts count(const std::string& body, std::uint32_t stride = 4, std::size_t blocks = 1,
                          std::size_t threads = 64) {
    PtxProgram program(striding(body));
    std::vector<std::byte> parameters(12);
    const std::uint64_t data = program.upload(std::vector<float>(64 * 1024));
    std::memcpy(parameters.data(), &data, 8);
    std::memcpy(parameters.data() + 8, &stride, 4);
    return count_block(program.module, "k", {.groups = {blocks, 1, 1}, .group_size = {threads, 1, 1}}, parameters,
                       program.memory)
        .value();
  }
};

// Two warps each multiply twice and return; moves between registers and loads of parameters cost nothing.
TEST_F(PtxCostsTest, AreOfWarps) {
  const BlockCosts block = count("");
  EXPECT_EQ(block.issued, 2 * 3);
  EXPECT_EQ(of(block, Pipe::integer), 2 * 2);
  EXPECT_EQ(of(block, Pipe::memory), 0);
}

// 32 neighbouring floats are 128 bytes, which are four sectors and one cycle. With 32 bytes between them each has its
// own sector, which takes eight cycles; with 8 bytes, four share one.
TEST_F(PtxCostsTest, SectorsAreThoseThatAWarpTouches) {
  const std::string load = "ld.global.f32 %f1, [%rd3];";
  for (const auto& [stride, sectors] : {std::pair(4, 4), std::pair(32, 32), std::pair(8, 8), std::pair(0, 1)}) {
    const BlockCosts block = count(load, static_cast<std::uint32_t>(stride));
    EXPECT_EQ(block.bytes_read, 2 * sectors * 32) << stride;
    EXPECT_EQ(block.bytes_written, 0);
    EXPECT_EQ(of(block, Pipe::memory), 2 * std::max(1, sectors / 4)) << stride;
  }
}

TEST_F(PtxCostsTest, VectorsTakeAsManySectorsAsTheirBytes) {
  const BlockCosts block = count("st.global.v4.f32 [%rd3], {%f1, %f1, %f1, %f1};", 16);
  EXPECT_EQ(block.bytes_written, 2 * 512);
  EXPECT_EQ(of(block, Pipe::memory), 2 * 4);
}

// Atomics read and write their sector; generic addresses of global memory are global.
TEST_F(PtxCostsTest, AtomicsGoBothWays) {
  const BlockCosts block = count("red.global.add.u32 [%rd3], 1; ld.f32 %f1, [%rd3];");
  EXPECT_EQ(block.bytes_read, 2 * 2 * 128);
  EXPECT_EQ(block.bytes_written, 2 * 128);
}

// A thread that is guarded off touches nothing: 16 of the first warp go on, and none of the second, whose instruction
// still takes its slot.
TEST_F(PtxCostsTest, GuardedThreadsTouchNothing) {
  const BlockCosts block = count("setp.lt.u32 %p1, %r2, 16; @%p1 ld.global.f32 %f1, [%rd3];");
  EXPECT_EQ(block.bytes_read, 64);
  EXPECT_EQ(of(block, Pipe::memory), 2);
}

TEST_F(PtxCostsTest, SharedAccessesAndBarriersMoveNothing) {
  const BlockCosts block = count("mov.u32 %r4, s; st.shared.u32 [%r4], %r2; bar.sync 0; ld.shared.u32 %r5, [%r4];");
  EXPECT_EQ(block.shared_accesses, 2 * 2);
  EXPECT_EQ(block.barriers, 2);
  EXPECT_EQ(block.bytes_read + block.bytes_written, 0);
  EXPECT_EQ(of(block, Pipe::memory), 4);
}

// Two warps load 32 sectors each in eight cycles, store to shared memory and copy there: three instructions, two of
// which access shared memory. An instruction that no thread executes is not counted.
TEST_F(PtxCostsTest, AccessesAreInstructionsHoweverLongTheyTake) {
  const BlockCosts block = count(R"(
  ld.global.f32 %f1, [%rd3];
  mov.u32 %r4, s;
  st.shared.u32 [%r4], %r2;
  cp.async.ca.shared.global [%r4], [%rd2], 4;
  setp.gt.u32 %p1, %r2, 999;
  @%p1 ld.global.f32 %f1, [%rd3];
)",
                                 32);
  EXPECT_EQ(block.accesses, 2 * 3);
  EXPECT_EQ(block.shared_accesses, 2 * 2);
}

TEST_F(PtxCostsTest, EachInstructionIsOfItsPipe) {
  const BlockCosts block = count(R"(
  .reg .f64 %d<2>;
  fma.rn.f32 %f1, %f2, %f3, %f1;
  mul.f32 %f1, %f1, %f2;
  ex2.approx.f32 %f1, %f1;
  div.rn.f32 %f1, %f1, %f2;
  max.f32 %f1, %f1, %f2;
  add.f64 %d1, %d1, %d1;
  cvt.f64.f32 %d1, %f1;
)",
                                 4, 1, 32);
  EXPECT_EQ(of(block, Pipe::fp32), 2);
  EXPECT_EQ(of(block, Pipe::special), 2);
  EXPECT_EQ(of(block, Pipe::integer), 2 + 1);  // the two of the address, and the maximum
  EXPECT_EQ(of(block, Pipe::fp64), 2);
  EXPECT_EQ(block.issued, 2 + 2 + 3 + 2 + 1);
}

// A grid whose blocks take steps by their place, a fused multiply-add each.
class PtxSampleTest : public testing::Test {
 protected:
  static Result<BlockCosts> count(const std::string& steps, const std::array<std::size_t, 3>& groups,
                                  const BlockSampleOptions& options = {}) {
    PtxProgram program(kPtxHead + R"(
.visible .entry k()
{
  .reg .b32 %r<6>;
  .reg .f32 %f<2>;
  .reg .pred %p<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %nctaid.x;
  mad.lo.u32 %r3, %r2, %r3, %r1;
)" + steps + R"(
again:
  setp.eq.u32 %p1, %r4, 0;
  @%p1 bra done;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  sub.u32 %r4, %r4, 1;
  bra again;
done:
  ret;
}
)");
    return count_block(program.module, "k", {.groups = groups, .group_size = {32, 1, 1}}, {}, program.memory, options);
  }
  // Expects the mean of this many steps, to 20 %.
  static void expect_mean(double mean, const Result<BlockCosts>& counted) {
    ASSERT_TRUE(counted) << counted.error().to_string();
    EXPECT_NEAR(of(*counted, Pipe::fp32), mean, 0.2 * mean);
  }
  static void expect_unknown(const Result<BlockCosts>& counted) {
    ASSERT_FALSE(counted);
    EXPECT_EQ(counted.error().code(), ErrorCode::unavailable);
    EXPECT_NE(counted.error().to_string().find("their mean cost is not known to 10 %"), std::string::npos);
  }
};

// The mean of 0 to 9 is 4.5.
TEST_F(PtxSampleTest, AGridOfFewBlocksIsCountedWhole) {
  EXPECT_DOUBLE_EQ(of(count("mov.u32 %r4, %r1;", {10, 1, 1}).value(), Pipe::fp32), 4.5);
  EXPECT_DOUBLE_EQ(of(count("mov.u32 %r4, %r3;", {16, 16, 1}).value(), Pipe::fp32), 127.5);
}

// The blocks in the middles of equal parts of this grid are all in column 0, which takes no step.
TEST_F(PtxSampleTest, MeansAreRightIfTheCostDependsOnAColumn) {
  double mean = 0.0;
  for (unsigned x = 0; x < 128; ++x) mean += x * x / 64 / 128.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    expect_mean(mean, count("mul.lo.u32 %r4, %r1, %r1; shr.u32 %r4, %r4, 6;", {128, 512, 1}, {.seed = seed}));
}

// A seventh of the blocks takes 700 times as many steps as the others. Few blocks would not tell: in 8 of 100 samples
// of 16 there is none of them.
TEST_F(PtxSampleTest, MeansAreRightIfTheCostDependsOnARowOrOnTheIndex) {
  expect_mean(63.5, count("shr.u32 %r4, %r2, 2;", {128, 512, 1}));
  expect_mean(499.5, count("mov.u32 %r4, %r1;", {1000, 1, 1}));
  expect_mean(30.0, count("rem.u32 %r4, %r3, 7; mul.lo.u32 %r4, %r4, 10;", {128, 512, 1}));
  expect_mean(706.0 / 7.0,
              count("rem.u32 %r4, %r3, 7; setp.eq.u32 %p2, %r4, 0; selp.u32 %r4, 700, 1, %p2;", {128, 512, 1}));
  expect_mean(10.0, count("mov.u32 %r4, 10;", {3, 5, 700}));
}

// The steps double with every eighth column.
TEST_F(PtxSampleTest, MeansAreRightIfTheCostGrowsExponentially) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    expect_mean(65'535.0 / 16.0,
                count("shr.u32 %r4, %r1, 3; mov.u32 %r5, 1; shl.b32 %r4, %r5, %r4;", {128, 512, 1}, {.seed = seed}));
}

// One row of 512 takes 1,000 times as many steps as the others. It has about 8 of the 4,096 blocks. That means an error
// of a third.
TEST_F(PtxSampleTest, AMeanIsUnknownIfVeryFewBlocksCostMost) {
  expect_unknown(count("setp.eq.u32 %p2, %r2, 100; selp.u32 %r4, 1000, 1, %p2;", {128, 512, 1}));
}

// The last block of 10,000 takes as many steps as all others together, which is usual of a final sum.
TEST_F(PtxSampleTest, TheLastBlockIsNeverMissed) {
  expect_mean(20.0, count("setp.eq.u32 %p2, %r3, 9999; selp.u32 %r4, 100000, 10, %p2;", {100, 100, 1}));
}

// Ten steps take more than 50 instructions, so 100 are spent after two blocks. A block that takes more by itself does
// not end.
TEST_F(PtxSampleTest, InstructionsAreBounded) {
  expect_unknown(count("mov.u32 %r4, 10;", {1000, 1, 1}, {.most_instructions = 100}));
  EXPECT_EQ(count("mov.u32 %r4, %r1;", {1000, 1, 1}, {.most_instructions = 100}).error().code(), ErrorCode::timeout);
}

// A GPU of 2 SMs at 1,000 MHz: 1 us has 2,000 cycles of SMs, with 4 issue slots in each, 2 of FP32, 100 bytes/ns of
// DRAM and 200 of L2.
TEST(UseOf, IsWhatWasAskedForOverWhatThereWas) {
  GpuModel gpu{.name = "small", .sms = 2, .clock = Megahertz(1000), .schedulers = 4, .issue_rate = 1.0};
  gpu.pipe_rates = {2.0, 1.0, 0.5, 1.0, 0.0, 1.0};
  gpu.l2_gigabytes_per_second = 200;
  gpu.dram_gigabytes_per_second = 100;
  BlockCosts block{.issued = 400, .bytes_read = 3'000, .bytes_written = 2'000};
  block.pipes[static_cast<std::size_t>(Pipe::fp32)] = 300;
  block.pipes[static_cast<std::size_t>(Pipe::special)] = 200;  // 2,000 in 1,000 slots
  const std::vector<double> use = use_of(block, 10, Nanoseconds(1000), gpu);
  ASSERT_EQ(use.size(), kResources);
  EXPECT_DOUBLE_EQ(use[0], 4'000.0 / 8'000.0);
  EXPECT_DOUBLE_EQ(use[1 + static_cast<std::size_t>(Pipe::fp32)], 3'000.0 / 4'000.0);
  EXPECT_DOUBLE_EQ(use[1 + static_cast<std::size_t>(Pipe::special)], 1.0);
  EXPECT_DOUBLE_EQ(use[1 + static_cast<std::size_t>(Pipe::tensor)], 0.0);
  EXPECT_DOUBLE_EQ(use[kSmResources], 0.25);
  EXPECT_DOUBLE_EQ(utilisation_of(use).pipeline, 0.5);
  EXPECT_DOUBLE_EQ(utilisation_of(use).memory, 50'000.0 / 100'000.0);
}

TEST(Resources, HaveNames) {
  std::string names;
  for (std::size_t i = 0; i < kResources; ++i) names.append(name_of_resource(i)).append(" ");
  EXPECT_EQ(names, "issue fp32 integer special fp64 tensor memory l2 dram ");
}

TEST(GpuModelOfDevice, IsThePresetInItsName) {
  EXPECT_EQ(gpu_model_of_device("NVIDIA H200")->name, "H200");
  EXPECT_EQ(gpu_model_of_device("NVIDIA H100 80GB HBM3")->name, "H100");
  EXPECT_EQ(gpu_model_of_device("cpu-haswell"), nullptr);
}

}  // namespace
}  // namespace wattune::simulate
