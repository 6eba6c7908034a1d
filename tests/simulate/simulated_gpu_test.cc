#include "simulate/interface/simulated_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "simulate/corun_runs.h"
#include "simulate/interface/gt640_kernels.h"

namespace wattune::inline v0_1::simulate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns two SMs at 1 GHz that hold two blocks of 1024 threads each and hand out blocks in no time. Nothing waits for
// memory.
GpuModel two_sms() {
  GpuModel gpu = with_sms(gpu_named("H100"), 2);
  gpu.clock = Megahertz(1000);
  gpu.launch_gap = gpu.grid_interval = gpu.block_interval = Nanoseconds(0);
  gpu.board = "";
  return gpu;
}

// Returns a kernel with blocks of 32 warps and 4 cycles from one instruction to the next. 1000 instructions take 8 us
// if one block is on an SM (4 schedulers issue 4 per cycle: 32,000 / 4), and 16 us if there are two.
SimulatedKernel computing(std::uint64_t blocks, const char* name = "compute") {
  return {.name = name, .block = {.threads = 1024, .registers = 32}, .blocks = blocks, .instructions = 1000};
}

// Returns a kernel whose blocks leave most of an SM's instructions to others: one warp, 4 us.
SimulatedKernel one_warp(std::uint64_t blocks) {
  return {.name = "warp", .block = {.threads = 32, .registers = 32}, .blocks = blocks, .instructions = 1000};
}

KernelId added(SimulatedGpu& gpu, const SimulatedKernel& kernel) { return gpu.add_kernel(kernel).value(); }

std::map<LaunchId, Completion> completions_of(SimulatedGpu& gpu) {
  std::map<LaunchId, Completion> result;
  for (const Completion& each : gpu.run()) result[each.launch] = each;
  return result;
}

double us(Nanoseconds time) { return time.value() * 1e-3; }

TEST(SimulatedGpu, TakesAsLongAsSchedulersAndLatencyMakeIt) {
  EXPECT_NEAR(us(time_alone(two_sms(), one_warp(1))), 4.0, 1e-6);
  EXPECT_NEAR(us(time_alone(two_sms(), computing(2))), 8.0, 1e-6);
  EXPECT_NEAR(us(time_alone(two_sms(), computing(4))), 16.0, 1e-6);
  EXPECT_NEAR(us(time_alone(two_sms(), computing(12))), 48.0, 1e-6);
}

// A block reads 16,000 times 128 bytes, which takes 80.7 us at an SM's share of an H100's 3350 GB/s. When it begins, an
// SM has such residents for the first time; if the SM were counted twice, it would take twice as long.
TEST(SimulatedGpu, SharesTheMemoryByTheSmsThereAre) {
  SimulatedKernel copying = computing(1);
  copying.coalesced = 0.5;
  copying.memory_parallelism = 32.0;
  const double share = 3350.0 / 132.0;
  EXPECT_NEAR(us(time_alone(with_sms(two_sms(), 1), copying)), 16000 * 128 / share * 1e-3, 0.1);
}

TEST(SimulatedGpu, TakesAboutAsLongInDetail) {
  const GpuOptions detailed{.fidelity = Fidelity::detailed};
  EXPECT_NEAR(us(time_alone(two_sms(), one_warp(1), detailed)), 4.0, 0.01);
  EXPECT_NEAR(us(time_alone(two_sms(), computing(2), detailed)), 8.0, 0.05);
  EXPECT_NEAR(us(time_alone(two_sms(), computing(12), detailed)), 48.0, 0.2);
}

// Expects that an SM never runs more than it holds, and that each block runs once.
void expect_is_sound(SimulatedGpu& gpu, std::uint64_t blocks, unsigned most_on_an_sm) {
  std::set<std::uint64_t> seen;
  for (const BlockRecord& one : gpu.trace()) {
    EXPECT_TRUE(seen.insert(one.block).second) << one.block;
    unsigned beside = 0;
    for (const BlockRecord& other : gpu.trace())
      beside += other.sm == one.sm && other.begin <= one.begin && one.begin < other.end ? 1 : 0;
    EXPECT_LE(beside, most_on_an_sm);
  }
  EXPECT_EQ(seen.size(), blocks);
}

TEST(SimulatedGpu, RunsEachBlockOnceWhereThereIsRoom) {
  for (const Fidelity fidelity : {Fidelity::fast, Fidelity::detailed}) {
    SimulatedGpu gpu(two_sms(), {.fidelity = fidelity, .trace = true});
    SimulatedKernel kernel = computing(37);
    kernel.variation = 0.3;
    gpu.submit({.kernel = added(gpu, kernel)}).value();
    EXPECT_EQ(gpu.run().size(), 1u);
    expect_is_sound(gpu, 37, 2);
  }
}

TEST(SimulatedGpu, IsTheSameForTheSameSeed) {
  SimulatedKernel kernel = computing(50);
  kernel.variation = 0.2;
  kernel.coalesced = 0.01;
  for (const Fidelity fidelity : {Fidelity::fast, Fidelity::detailed}) {
    const Nanoseconds time = time_alone(two_sms(), kernel, {.fidelity = fidelity, .seed = 7});
    EXPECT_EQ(time, time_alone(two_sms(), kernel, {.fidelity = fidelity, .seed = 7}));
    EXPECT_NE(time, time_alone(two_sms(), kernel, {.fidelity = fidelity, .seed = 8}));
  }
}

// The mean of 4,000 blocks with a standard deviation of a tenth is within 0.5 % (three standard errors). If one in ten
// has twice the work, the mean is a tenth higher.
TEST(SimulatedGpu, VariesTheWorkOfBlocks) {
  GpuModel gpu = two_sms();
  gpu.sms = 1;
  SimulatedKernel kernel = one_warp(4000);
  kernel.block.threads = 1024;
  kernel.block.registers = 64;  // one block at a time
  const double plain = us(time_alone(gpu, kernel));
  kernel.variation = 0.1;
  EXPECT_NEAR(us(time_alone(gpu, kernel)) / plain, 1.0, 0.005);
  kernel.tail_share = 0.1;
  kernel.tail_work = 2.0;
  EXPECT_NEAR(us(time_alone(gpu, kernel)) / plain, 1.1, 0.02);
}

TEST(SimulatedGpu, RunsTheLaunchesOfAStreamInTurns) {
  GpuModel model = two_sms();
  model.launch_gap = Nanoseconds(1500);
  SimulatedGpu gpu(model);
  const KernelId kernel = added(gpu, computing(4));
  gpu.submit({.kernel = kernel, .blocks = 2}).value();
  gpu.submit({.kernel = kernel, .first_block = 2, .blocks = 2}).value();
  const auto done = completions_of(gpu);
  EXPECT_NEAR(us(done.at(1).begin), 9.5, 1e-6);  // 8 us and the gap
  EXPECT_EQ(done.at(1).next_block, 4u);
}

// Two grids that fill the GPU run one after the other, in any streams: the head has blocks until its last wave.
TEST(SimulatedGpu, LetsNobodyPassTheHeadOfTheLine) {
  SimulatedGpu gpu(two_sms());
  const KernelId kernel = added(gpu, computing(8));
  const StreamId other = gpu.add_stream({}).value();
  gpu.submit({.kernel = kernel}).value();
  gpu.submit({.kernel = kernel, .stream = other}).value();
  const auto done = completions_of(gpu);
  EXPECT_NEAR(us(done.at(0).end), 32.0, 1e-6);
  EXPECT_NEAR(us(done.at(1).begin), 32.0, 1e-6);
  EXPECT_NEAR(us(done.at(1).end), 64.0, 1e-6);
}

// A head whose block finds no room keeps small blocks behind it waiting, even if there is room for these. Blocks of 227
// KB fit once on each SM, so the third waits for 8 us.
TEST(SimulatedGpu, KeepsRoomEmptyBehindAHeadThatFindsNone) {
  SimulatedGpu gpu(two_sms());
  SimulatedKernel large = computing(3);
  large.block.dynamic_shared_bytes = 227 * 1024;
  const KernelId head = added(gpu, large);
  const KernelId small = added(gpu, one_warp(1));
  const StreamId other = gpu.add_stream({}).value();
  gpu.submit({.kernel = head}).value();
  gpu.submit({.kernel = small, .stream = other}).value();
  EXPECT_NEAR(us(completions_of(gpu).at(1).begin), 8.0, 1e-6);
}

// The blocks of a higher priority come first as soon as others end; running blocks are not interrupted.
TEST(SimulatedGpu, GivesPrioritiesTheNextRoom) {
  SimulatedGpu gpu(two_sms());
  const KernelId kernel = added(gpu, computing(8));
  const StreamId urgent = gpu.add_stream({.priority = 1}).value();
  gpu.submit({.kernel = kernel}).value();
  gpu.pass_until(Nanoseconds(5000));
  gpu.submit({.kernel = kernel, .stream = urgent, .blocks = 4}).value();
  const auto done = completions_of(gpu);
  EXPECT_NEAR(us(done.at(1).begin), 16.0, 1e-6);
  EXPECT_NEAR(us(done.at(1).end), 32.0, 1e-6);
  EXPECT_NEAR(us(done.at(0).end), 48.0, 1e-6);
}

// Streams 0 and 2 share the first of two hardware queues. The third launch waits there behind the second, which waits
// for its stream, though nothing else prevents it. With three queues it runs at once.
TEST(SimulatedGpu, KeepsLaunchesWaitingBehindOthersOfTheirQueue) {
  for (const unsigned queues : {2u, 3u}) {
    GpuModel model = two_sms();
    model.hardware_queues = queues;
    SimulatedGpu gpu(model);
    const KernelId kernel = added(gpu, one_warp(1));
    (void)gpu.add_stream({}).value();
    const StreamId third = gpu.add_stream({}).value();
    gpu.submit({.kernel = kernel}).value();
    gpu.submit({.kernel = kernel}).value();
    gpu.submit({.kernel = kernel, .stream = third}).value();
    EXPECT_NEAR(us(completions_of(gpu).at(2).begin), queues == 2 ? 4.0 : 0.0, 1e-6);
  }
}

TEST(SimulatedGpu, HoldsSoManyGridsAtOnce) {
  GpuModel model = two_sms();
  model.resident_grids = 1;
  SimulatedGpu gpu(model);
  const KernelId kernel = added(gpu, one_warp(1));
  const StreamId other = gpu.add_stream({}).value();
  gpu.submit({.kernel = kernel}).value();
  gpu.submit({.kernel = kernel, .stream = other}).value();
  EXPECT_NEAR(us(completions_of(gpu).at(1).begin), 4.0, 1e-6);
}

// Blocks go to the SM with fewer warps: four blocks, two to each SM; and one at a time, 100 ns apart.
TEST(SimulatedGpu, GivesBlocksToTheSmWithMostRoom) {
  GpuModel model = two_sms();
  model.block_interval = Nanoseconds(100);
  SimulatedGpu gpu(model, {.trace = true});
  gpu.submit({.kernel = added(gpu, one_warp(4))}).value();
  gpu.run();
  std::map<unsigned, int> blocks;
  for (const BlockRecord& each : gpu.trace()) {
    ++blocks[each.sm];
    EXPECT_NEAR(each.begin.value(), 100.0 * static_cast<double>(each.block), 1e-6);
  }
  EXPECT_THAT(blocks, ElementsAre(testing::Pair(0u, 2), testing::Pair(1u, 2)));
}

// A green context's launches stay on its SMs and do not wait for those of another context.
TEST(SimulatedGpu, KeepsGreenContextsApart) {
  SimulatedGpu gpu(two_sms(), {.trace = true});
  const KernelId kernel = added(gpu, computing(4));
  const StreamId left = gpu.add_stream({.green_context = gpu.add_green_context(0, 1).value()}).value();
  const StreamId right = gpu.add_stream({.green_context = gpu.add_green_context(1, 1).value()}).value();
  gpu.submit({.kernel = kernel, .stream = left}).value();
  gpu.submit({.kernel = kernel, .stream = right}).value();
  const auto done = completions_of(gpu);
  EXPECT_NEAR(us(done.at(0).end), 32.0, 1e-6);
  EXPECT_NEAR(us(done.at(1).end), 32.0, 1e-6);
  for (const BlockRecord& each : gpu.trace()) EXPECT_EQ(each.sm, each.launch);
}

// The urgent block needs the whole SM. It comes at 6 us, when a block of each launch of the green context runs. When
// the first one ends at 12 us, the next one waits, though it would fit. So the second block ends alone at 16 us, and
// the urgent one takes 8 us.
TEST(SimulatedGpu, KeepsRoomForAHigherPriorityThatMayUseTheSms) {
  GpuModel model = two_sms();
  model.sms = 1;
  SimulatedGpu gpu(model);
  const KernelId kernel = added(gpu, computing(20));
  SimulatedKernel tight = computing(1, "tight");
  tight.block.registers = 64;
  const KernelId urgent = added(gpu, tight);
  const GreenContextId context = gpu.add_green_context(0, 1).value();
  const StreamId one = gpu.add_stream({.green_context = context}).value();
  const StreamId other = gpu.add_stream({.green_context = context}).value();
  const StreamId on_all = gpu.add_stream({.priority = 1}).value();
  gpu.submit({.kernel = kernel, .stream = one, .blocks = 1}).value();
  gpu.pass_until(Nanoseconds(4000));
  gpu.submit({.kernel = kernel, .stream = other, .first_block = 1, .blocks = 19}).value();
  gpu.pass_until(Nanoseconds(6000));
  gpu.submit({.kernel = urgent, .stream = on_all}).value();
  const auto done = completions_of(gpu);
  EXPECT_NEAR(us(done.at(2).begin), 16.0, 1e-6);
  EXPECT_NEAR(us(done.at(2).end), 24.0, 1e-6);
}

// One block of each kernel on each SM, as persistent twins: both fetch all of their logical blocks, side by side.
TEST(SimulatedGpu, LetsPersistentBlocksFetchLogicalOnes) {
  SimulatedGpu gpu(two_sms(), {.trace = true});
  const KernelId kernel = added(gpu, computing(7));
  const StreamId other = gpu.add_stream({}).value();
  gpu.submit({.kernel = kernel, .persistent = Persistence{.per_sm = 1}}).value();
  gpu.submit({.kernel = kernel, .stream = other, .persistent = Persistence{.per_sm = 1}}).value();
  const auto done = completions_of(gpu);
  EXPECT_EQ(done.at(0).blocks, 7u);
  EXPECT_NEAR(us(done.at(1).begin), 0.0, 1e-6);
  std::set<std::pair<LaunchId, std::uint64_t>> seen;
  for (const BlockRecord& each : gpu.trace()) EXPECT_TRUE(seen.emplace(each.launch, each.block).second);
  EXPECT_EQ(seen.size(), 14u);
}

// Blocks of 8 us; each fetch takes 1 us, for one block or for four.
TEST(SimulatedGpu, ChargesPersistentBlocksForEachFetch) {
  const auto time = [](unsigned chunk) {
    SimulatedGpu gpu(two_sms());
    const Persistence twin{.per_sm = 1, .chunk = chunk, .fetch = Nanoseconds(1000)};
    gpu.submit({.kernel = added(gpu, computing(16)), .persistent = twin}).value();
    return us(time_of(gpu));
  };
  // Overhead passes like the work of a block alone, with 4 cycles for each of 1000 instructions. 1 us is a quarter of 4
  // us there, and so a quarter of 8 us here.
  EXPECT_NEAR(time(1), 8 * 10.0, 1e-6);
  EXPECT_NEAR(time(4), 8 * 8.0 + 2 * 2.0, 1e-6);
}

// The launch is stopped after 20 us, in the third blocks of 8 us, so six have run. The rest runs later.
TEST(SimulatedGpu, StopsPersistentLaunchesAtTheNextBlock) {
  SimulatedGpu gpu(two_sms());
  const KernelId kernel = added(gpu, computing(100));
  const LaunchId first = gpu.submit({.kernel = kernel, .persistent = Persistence{.per_sm = 1}}).value();
  gpu.pass_until(Nanoseconds(20000));
  ASSERT_TRUE(gpu.stop(first));
  const Completion stopped = gpu.wait().value();
  EXPECT_NEAR(us(stopped.end), 24.0, 1e-6);
  EXPECT_EQ(stopped.blocks, 6u);
  EXPECT_EQ(stopped.next_block, 6u);
  gpu.submit({.kernel = kernel, .first_block = stopped.next_block, .persistent = Persistence{.per_sm = 1}}).value();
  EXPECT_EQ(gpu.wait()->blocks, 94u);
  EXPECT_TRUE(gpu.stop(first));  // does nothing: the launch has ended
  EXPECT_FALSE(gpu.wait());
}

TEST(SimulatedGpu, EndsALaunchThatIsStoppedBeforeItBegins) {
  SimulatedGpu gpu(two_sms());
  const KernelId kernel = added(gpu, computing(100));
  gpu.submit({.kernel = kernel, .blocks = 2}).value();
  const LaunchId second = gpu.submit({.kernel = kernel, .persistent = Persistence{.per_sm = 1}}).value();
  ASSERT_TRUE(gpu.stop(second));
  const auto done = completions_of(gpu);
  EXPECT_EQ(done.at(second).blocks, 0u);
  EXPECT_EQ(done.at(second).next_block, 0u);
}

// The limit of the wait does not matter.
TEST(SimulatedGpu, SaysAtOnceThatAStoppedLaunchHasEnded) {
  SimulatedGpu gpu(two_sms());
  const KernelId kernel = added(gpu, computing(100));
  gpu.submit({.kernel = kernel, .blocks = 2}).value();
  ASSERT_TRUE(gpu.stop(gpu.submit({.kernel = kernel, .persistent = Persistence{.per_sm = 1}}).value()));
  const Nanoseconds first = gpu.wait(nanoseconds_from_seconds(1))->end;
  ASSERT_TRUE(gpu.wait(nanoseconds_from_seconds(1)));
  EXPECT_LT(gpu.now(), first + nanoseconds_from_ms(1));
}

TEST(SimulatedGpu, CountsWhatItDid) {
  SimulatedKernel kernel = computing(4);
  kernel.coalesced = 0.01;
  kernel.l2_hit = 0.5;
  for (const Fidelity fidelity : {Fidelity::fast, Fidelity::detailed}) {
    SimulatedGpu gpu(two_sms(), {.fidelity = fidelity});
    gpu.submit({.kernel = added(gpu, kernel)}).value();
    gpu.run();
    EXPECT_NEAR(gpu.counters().instructions, 4 * 32 * 1000.0, 1e-3);
    EXPECT_NEAR(gpu.counters().l2_bytes, 4 * 32 * 10 * 128.0, 4 * 32 * 10 * 128.0 * 0.15);
    EXPECT_NEAR(gpu.counters().dram_bytes, 4 * 32 * 5 * 128.0, 4 * 32 * 5 * 128.0 * 0.15);
    const double cycles = gpu.now().value();
    EXPECT_NEAR(gpu.pipeline_utilisation(), 128000.0 / (cycles * 8.0), 1e-9);
  }
}

// Beside as many warps of another kernel, a kernel that shares badly loses half of its hits, so half of its bytes go to
// DRAM.
TEST(SimulatedGpu, CountsTheHitsThatAreLostToOthers) {
  SimulatedKernel cached = computing(8);
  cached.coalesced = 0.05;
  cached.l2_hit = 1.0;
  cached.sharing_loss = 1.0;
  for (const Fidelity fidelity : {Fidelity::fast, Fidelity::detailed}) {
    SimulatedGpu gpu(two_sms(), {.fidelity = fidelity});
    for (const SimulatedKernel& kernel : {cached, computing(100)})
      gpu.submit({.kernel = added(gpu, kernel),
                  .stream = gpu.add_stream({}).value(),
                  .persistent = Persistence{.per_sm = 1}})
          .value();
    (void)gpu.wait();
    EXPECT_NEAR(gpu.counters().dram_bytes / gpu.counters().l2_bytes, 0.5, 0.03);
  }
}

// At half the clock, kernels that only compute take twice as long. The board draws power meanwhile, which is the GPU's
// energy.
TEST(SimulatedGpu, RunsAtTheClockOfItsBoard) {
  BoardModel quick = *find_board_model("H100");
  quick.least_lock_latency = quick.most_lock_latency = Nanoseconds(0);
  const auto run = [&](Megahertz clock) {
    SimulatedBoard board(quick);
    board.hold_context(true);
    board.lock_clock(clock);
    board.pass(nanoseconds_from_ms(1));
    const Joules before = board.energy();
    SimulatedGpu gpu(with_sms(gpu_named("H100"), 2), {.board = &board});
    gpu.submit({.kernel = added(gpu, computing(40))}).value();
    gpu.run();
    EXPECT_NEAR(gpu.counters().energy.value(), (board.energy() - before).value(), 1e-12);
    EXPECT_GT(gpu.counters().energy.value(), 110.0 * to_seconds(gpu.now()));  // more than idle
    return gpu.now();
  };
  EXPECT_NEAR(run(Megahertz(750)) / run(Megahertz(1500)), 2.0, 0.02);
}

// Kernels that DRAM limits take twice as long at half of the memory's clock.
TEST(SimulatedGpu, RunsAtTheMemoryClockOfItsBoard) {
  BoardModel model = *find_board_model("H100");
  model.memory_clocks = {Megahertz(2600), Megahertz(1300)};
  SimulatedKernel kernel = computing(12);
  kernel.coalesced = 0.5;
  kernel.memory_parallelism = 4.0;
  const auto run = [&](Fidelity fidelity, Megahertz clock) {
    SimulatedBoard board(model);
    board.lock_memory(clock);
    SimulatedGpu gpu(with_sms(gpu_named("H100"), 2), {.fidelity = fidelity, .board = &board});
    gpu.submit({.kernel = added(gpu, kernel)}).value();
    gpu.run();
    return gpu.now();
  };
  for (const Fidelity fidelity : {Fidelity::fast, Fidelity::detailed})
    EXPECT_NEAR(run(fidelity, Megahertz(1300)) / run(fidelity, Megahertz(2600)), 2.0, 0.05);
}

TEST(SimulatedGpu, LetsTimePassWithoutWork) {
  SimulatedGpu gpu(two_sms());
  EXPECT_FALSE(gpu.wait());
  gpu.pass_until(Nanoseconds(1000));
  EXPECT_EQ(gpu.now(), Nanoseconds(1000));
  gpu.submit({.kernel = added(gpu, one_warp(1))}).value();
  const Completion done = gpu.wait().value();
  EXPECT_EQ(done.submitted, Nanoseconds(1000));
  EXPECT_NEAR(us(done.end), 5.0, 1e-6);
}

TEST(SimulatedGpu, RefusesWhatCannotBe) {
  SimulatedGpu gpu(two_sms());
  const auto refusal = [](const auto& result) { return result.error().to_string(); };
  const KernelId kernel = added(gpu, computing(8));
  EXPECT_THAT(refusal(gpu.submit({.kernel = 7})), HasSubstr("no such kernel: `7`"));
  EXPECT_THAT(refusal(gpu.submit({.kernel = kernel, .stream = 7})), HasSubstr("no such stream: `7`"));
  EXPECT_THAT(refusal(gpu.submit({.kernel = kernel, .first_block = 8})), HasSubstr("has 8 blocks: `0 from 8 on`"));
  EXPECT_THAT(refusal(gpu.submit({.kernel = kernel, .first_block = 6, .blocks = 3})), HasSubstr("`3 from 6 on`"));
  EXPECT_THAT(refusal(gpu.submit({.kernel = kernel, .blocks = 0})), HasSubstr("`0 from 0 on`"));
  EXPECT_THAT(refusal(gpu.submit({.kernel = kernel, .persistent = Persistence{.per_sm = 3}})),
              HasSubstr("does not hold so many blocks of this kernel: `3`"));
  EXPECT_THAT(refusal(gpu.submit({.kernel = kernel, .persistent = Persistence{.chunk = 0}})), HasSubstr("a chunk is"));
  EXPECT_THAT(refusal(gpu.add_stream({.green_context = 1})), HasSubstr("no such green context: `1`"));
  EXPECT_THAT(refusal(gpu.add_green_context(1, 2)), HasSubstr("there are 2 SMs: `2 from 1 on`"));
  EXPECT_THAT(refusal(gpu.stop(0)), HasSubstr("no such launch: `0`"));
  gpu.submit({.kernel = kernel}).value();
  EXPECT_THAT(refusal(gpu.stop(0)), HasSubstr("only persistent launches"));
  SimulatedKernel impossible = computing(1, "impossible");
  impossible.block.registers = 128;
  EXPECT_THAT(refusal(gpu.add_kernel(impossible)), HasSubstr("no SM holds a block of this kernel"));
  SimulatedKernel wrong = computing(1, "wrong");
  wrong.l2_hit = 2.0;
  EXPECT_THAT(refusal(gpu.add_kernel(wrong)), HasSubstr("simulated kernel wrong: l2_hit is from 0 to 1: `2`"));
}

// The second persistent block finds its SM after 50 us, when the first one is at the last of 13 logical blocks of 4 us.
TEST(SimulatedGpu, PersistentBlocksThatComeTooLateRunNothing) {
  GpuModel slow = two_sms();
  slow.block_interval = Nanoseconds(50e3);
  SimulatedGpu gpu(slow);
  gpu.submit({.kernel = added(gpu, one_warp(13)), .persistent = Persistence{.per_sm = 2}}).value();
  EXPECT_EQ(gpu.wait()->blocks, 13U);
}

TEST(SimulatedGpu, WaitsNoLongerThanItWasTold) {
  SimulatedGpu gpu(two_sms());
  gpu.submit({.kernel = added(gpu, one_warp(1))}).value();
  EXPECT_FALSE(gpu.wait(Nanoseconds(1)));
  EXPECT_EQ(gpu.now(), Nanoseconds(1));
  EXPECT_TRUE(gpu.wait());
}

// A GPU without certain units, such as Fermi without tensor cores, runs no kernel that needs them.
TEST(SimulatedGpu, RefusesAKernelThatNeedsAMissingPipe) {
  SimulatedGpu gpu(gpu_named("C2050"));
  SimulatedKernel kernel = one_warp(1);
  kernel.mix[static_cast<std::size_t>(Pipe::tensor)] = 0.1;
  EXPECT_THAT(gpu.add_kernel(kernel).error().to_string(), HasSubstr("has no such pipe: `tensor`"));
}

// A millionth of a nanosecond is less than a double can resolve after a minute; blocks end nevertheless.
TEST(SimulatedGpuForMinutes, BlocksEndHoweverLateItIs) {
  SimulatedGpu gpu(gt640());
  SimulatedKernel kernel = find_gt640_kernel("Srad")->kernel;
  kernel.blocks = 640;
  const auto id = gpu.add_kernel(kernel).value();
  gpu.pass_until(nanoseconds_from_seconds(60));
  gpu.submit({.kernel = id}).value();
  const auto done = gpu.wait();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->blocks, 640U);
}

}  // namespace
}  // namespace wattune::simulate
