// Tests the machine of real devices on the stand-in for CUDA's driver: the twins that it launches, their words and
// streams, and the use of their counters.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"
#include "schedule/device_machine_support.h"
#include "schedule/interface/counted_use.h"
#include "schedule/interface/scheduler.h"
#include "schedule/machine/device_clock.h"
#include "schedule/machine/device_parts.h"
#include "wattune/backend/attach.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr backend::Geometry3 kSolid{.groups = {6, 5, 2}, .group_size = {64, 1, 1}};
constexpr std::uint64_t kAll = 60;

class DeviceMachineOnStandIn : public testing::Test {
 protected:
  void SetUp() override {
    // The library and its state live as long as the process.
    library = dlopen(backend::kLibcuda.c_str(), RTLD_NOW);
    cuda = reinterpret_cast<fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"))();
    cuda->persistent_blocks = 0;
    cuda->hangs_end = false;
    cuda->launched_carveouts.clear();
    open(backend::open_cuda_in_primary_context("cuda:0").value());
  }

  void open(std::unique_ptr<backend::Device> on) {
    machine.reset();
    device = std::move(on);
    machine = DeviceMachine::make(*device).value();
  }

  std::shared_ptr<const LoadedKernel> load(const std::string& function = "mark", const std::string& text = mark_ptx(),
                                           const backend::Geometry3& geometry = kSolid) {
    auto code = load_code(*device, backend::cuda_source(text, function), {}, geometry).value();
    return kernel_on_ints(*device, function, std::move(code), geometry, kAll);
  }
  KernelId add(const std::shared_ptr<const LoadedKernel>& kernel) {
    return machine->add(kernel, machine->traits_of(*kernel).value()).value();
  }
  std::vector<int> hits_of(const LoadedKernel& kernel) { return read_ints(*device, *kernel.buffers.front()); }
  Ended run(const Launch& launch) {
    machine->launch(launch).value();
    return wait_for(*machine, 1).front();
  }

  void* library = nullptr;
  fakes::FakeCuda* cuda = nullptr;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<DeviceMachine> machine;
};

TEST_F(DeviceMachineOnStandIn, ARangeThatIsABoxAddsAndAnyOtherDivides) {
  const auto kernel = load();
  const KernelId id = add(kernel);
  const auto grid_for = [&](std::uint64_t first, std::uint64_t blocks) {
    EXPECT_EQ(run({.kernel = id, .form = Form::slices, .first_block = first, .blocks = blocks}).blocks, blocks);
    return cuda->grid;
  };
  EXPECT_THAT(grid_for(0, 12), ElementsAre(6, 2, 1));    // two rows
  EXPECT_THAT(grid_for(12, 3), ElementsAre(3, 1, 1));    // half of one
  EXPECT_THAT(grid_for(15, 15), ElementsAre(15, 1, 1));  // the rest of it, and more of its plane
  EXPECT_THAT(grid_for(30, 30), ElementsAre(6, 5, 1));   // a plane
  EXPECT_THAT(hits_of(*kernel), Each(1));
}

TEST_F(DeviceMachineOnStandIn, PersistentBlocksAreAsManyAsShallBeResident) {
  const auto kernel = load();
  const KernelId id = add(kernel);
  EXPECT_EQ(run({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 2}).blocks, kAll);
  EXPECT_THAT(cuda->grid, ElementsAre(60, 1, 1));  // fewer than 2 blocks on each of 132 SMs
  run({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 2, .sms = {.first = 0, .count = 8}});
  EXPECT_THAT(cuda->grid, ElementsAre(16, 1, 1));
  EXPECT_THAT(hits_of(*kernel), Each(2));
}

TEST_F(DeviceMachineOnStandIn, AStoppedLaunchTellsItsBlocksAndAnotherGoesOn) {
  const auto kernel = load();
  const KernelId id = add(kernel);
  cuda->persistent_blocks = 20;
  const LaunchId launch =
      machine->launch({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1}).value();
  EXPECT_THAT(machine->wait(machine->now()), testing::IsEmpty());
  machine->stop(launch);
  const Ended ended = wait_for(*machine, 1).front();
  EXPECT_EQ(ended.launch, launch);
  EXPECT_EQ(ended.blocks, 20U);
  cuda->persistent_blocks = 0;
  EXPECT_EQ(run({.kernel = id, .form = Form::persistent, .first_block = 20, .blocks = 40, .per_sm = 1}).blocks, 40U);
  EXPECT_THAT(hits_of(*kernel), Each(1));
}

// The launch is expected to end in an hour. 20 ms of sleeps of at least 200 us are 100 looks, with one at either end.
TEST_F(DeviceMachineOnStandIn, LooksSeldomAtWhatIsExpectedToTakeLong) {
  const auto kernel = load();
  KernelTraits traits = machine->traits_of(*kernel).value();
  traits.alone = nanoseconds_from_seconds(3600);
  const KernelId id = machine->add(kernel, traits).value();
  cuda->persistent_blocks = 20;
  machine->launch({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1}).value();
  cuda->event_queries = 0;
  machine->wait(machine->now() + nanoseconds_from_ms(20));
  EXPECT_LE(cuda->event_queries, 102);
}

TEST_F(DeviceMachineOnStandIn, APersistentLaunchEndsBeforeBlocksThatItWasNotGiven) {
  const auto kernel = load();
  run({.kernel = add(kernel), .form = Form::persistent, .first_block = 10, .blocks = 20, .per_sm = 1});
  const std::vector<int> hits = hits_of(*kernel);
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i], i >= 10 && i < 30 ? 1 : 0) << i;
}

// There are 64 slots of counters at first; each is reset to 0 before it is used again.
TEST_F(DeviceMachineOnStandIn, CountersServeAnyNumberOfLaunches) {
  const auto kernel = load();
  const KernelId id = add(kernel);
  for (unsigned i = 0; i < 100; ++i)
    machine->launch({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1, .lane = i % 3}).value();
  wait_for(*machine, 100);
  for (unsigned i = 0; i < 100; ++i) run({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1});
  EXPECT_THAT(hits_of(*kernel), Each(200));
}

TEST_F(DeviceMachineOnStandIn, PrioritiesAreThoseOfTheStream) {
  const KernelId id = add(load());
  run({.kernel = id, .blocks = kAll});
  EXPECT_EQ(cuda->priority, 0);
  run({.kernel = id, .blocks = kAll, .priority = 2});
  EXPECT_EQ(cuda->priority, -2);
  run({.kernel = id, .blocks = kAll, .priority = 9});
  EXPECT_EQ(cuda->priority, -5);  // the highest priority
}

TEST_F(DeviceMachineOnStandIn, RangesAreThoseOfTheStream) {
  EXPECT_EQ(machine->limits().sms, 132U);
  EXPECT_EQ(machine->limits().split_grain, 8U);
  const KernelId id = add(load());
  const auto units_for = [&](const SmRange& sms) {
    run({.kernel = id, .blocks = kAll, .sms = sms});
    return cuda->units;
  };
  EXPECT_THAT(units_for({8, 16}), ElementsAre(8, 24));
  EXPECT_THAT(units_for({96, 36}), ElementsAre(96, 132));
  EXPECT_THAT(units_for({}), ElementsAre(0, 0));
  const auto refused = machine->launch({.kernel = id, .blocks = kAll, .sms = {4, 8}});
  EXPECT_THAT(refused.error().to_string(), HasSubstr("units 4 to 11 cannot be a stream's own"));
  EXPECT_THAT(refused.error().to_string(), HasSubstr("multiples of 8 up to 128, and at 132"));
}

TEST_F(DeviceMachineOnStandIn, OutsideOfThePrimaryContextThereAreNoRanges) {
  open(backend::open_device("cuda:0").value());
  EXPECT_EQ(machine->limits().split_grain, 132U);
  const KernelId id = add(load());
  EXPECT_THAT(machine->launch({.kernel = id, .blocks = kAll, .sms = {0, 8}}).error().to_string(),
              HasSubstr("in its primary context only"));
}

// The driver keeps 1,024 bytes for each block beside the kernel's 256, of 233,472 in all. 3 blocks take 1.6 % of them,
// 8 take 4.4 %. A carve-out that is already set is not asked for again.
TEST_F(DeviceMachineOnStandIn, ALoneLaunchDividesTheMemoryOfSmsAsItsBlocksNeed) {
  const KernelId id = add(load());
  const auto launch_with = [&](unsigned per_sm) {
    run({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = per_sm});
    return cuda->launched_carveouts.back();
  };
  EXPECT_EQ(launch_with(3), 2);
  EXPECT_EQ(launch_with(8), 5);
  const long asked = cuda->carveouts_set;
  EXPECT_EQ(launch_with(8), 5);
  EXPECT_EQ(cuda->carveouts_set, asked);
}

// Kernels stay loaded like this while several joint configurations take turns.
TEST_F(DeviceMachineOnStandIn, MachinesThatShareAKernelEachDivideTheMemoryAsTheyNeed) {
  const auto kernel = load();
  const auto other = DeviceMachine::make(*device).value();
  const auto launch_on = [&](DeviceMachine& on, unsigned per_sm) {
    const KernelId id = on.add(kernel, on.traits_of(*kernel).value()).value();
    on.launch({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = per_sm}).value();
    while (on.wait(on.now() + nanoseconds_from_ms(10)).empty()) continue;
    return cuda->launched_carveouts.back();
  };
  EXPECT_EQ(launch_on(*machine, 3), 2);
  EXPECT_EQ(launch_on(*other, 8), 5);
  EXPECT_EQ(launch_on(*machine, 3), 2);
}

TEST_F(DeviceMachineOnStandIn, AWholeLaunchLeavesTheMemoryOfSmsToTheDriver) {
  run({.kernel = add(load()), .blocks = kAll});
  EXPECT_EQ(cuda->launched_carveouts.back(), -1);
}

// Launches ask for what both need together. 3 * 1,280 and 2 * 21,120 bytes are 19.7 %; 3 * 1,280 and 4 * 1,280 are 3.8
// %.
TEST_F(DeviceMachineOnStandIn, LaunchesOfAPairDivideTheMemoryOfSmsAlike) {
  const auto add_with = [&](std::size_t bytes) {
    const auto kernel = load();
    KernelTraits traits = machine->traits_of(*kernel).value();
    traits.block.static_shared_bytes = bytes;
    return machine->add(kernel, traits).value();
  };
  const KernelId first = add_with(256);
  const KernelId large = add_with(20'000);
  const KernelId small = add_with(256);
  const auto carveouts_of = [&](KernelId second, unsigned per_sm) {
    run_pair(*machine, {first, second}, {.way = Way::shares, .ratio = {3, per_sm}}).value();
    return cuda->launched_carveouts;
  };
  EXPECT_THAT(carveouts_of(large, 2), ElementsAre(20, 20));
  cuda->launched_carveouts.clear();
  EXPECT_THAT(carveouts_of(small, 4), ElementsAre(4, 4));
}

// Two warps add to one number, a sector that each reads and writes. The device's own buffer stays unchanged.
TEST_F(DeviceMachineOnStandIn, WhatAKernelUsesIsCountedOnCopiesOfPagesOfItsBuffers) {
  const auto kernel = load();
  const auto block = count_block(*device, *kernel);
  ASSERT_TRUE(block) << block.error().to_string();
  EXPECT_EQ(block->bytes_read, 2 * 32);
  EXPECT_EQ(block->bytes_written, 2 * 32);
  EXPECT_EQ(block->pipes[static_cast<std::size_t>(simulate::Pipe::memory)], 2);
  EXPECT_THAT(hits_of(*kernel), Each(0));
  EXPECT_THAT(count_block(*device, *kernel, {.most_bytes = 8}).error().to_string(),
              HasSubstr("the instructions of mark cannot be counted: some of its blocks access more than 8 bytes"));
}

// One kernel computes for 90 % of its time, the other moves data for 80 % of its time. No resource is busy for more
// than half of both times, so the bound is that neither gets faster than alone. Two of the first would compute for 1.8
// of 2.
TEST(PackingBound, IsThatOfTheBusiestResource) {
  KernelTraits computing;
  computing.use = {0.9, 0.1};
  KernelTraits moving;
  moving.use = {0.1, 0.8};
  EXPECT_DOUBLE_EQ(packing_bound(computing, moving).value(), 2.0);
  EXPECT_DOUBLE_EQ(packing_bound(computing, computing).value(), 2.0 / 1.8);
  EXPECT_FALSE(packing_bound(computing, KernelTraits()));
}

TEST_F(DeviceMachineOnStandIn, AddingAgainWithOtherTraitsLoadsNothing) {
  const auto kernel = load();
  KernelTraits traits = machine->traits_of(*kernel).value();
  const long modules = cuda->made;
  traits.alone = nanoseconds_from_ms(3);
  const KernelId first = machine->add(kernel, traits).value();
  traits.persistent = false;
  const KernelId second = machine->add(kernel, traits).value();
  EXPECT_EQ(cuda->made, modules);
  EXPECT_TRUE(machine->kernel(first)->persistent);
  EXPECT_FALSE(machine->kernel(second)->persistent);
}

TEST_F(DeviceMachineOnStandIn, WhatSliceRefusesRunsWholeAndSaysWhy) {
  const auto kernel = load("mark", mark_ptx("mov.u32 %r1, %envreg1;"));
  EXPECT_THAT(kernel->code->no_slices, HasSubstr("%envreg1"));
  EXPECT_THAT(kernel->code->no_persistent, HasSubstr("%envreg1"));
  const KernelId id = add(kernel);
  EXPECT_FALSE(machine->kernel(id)->sliceable);
  EXPECT_FALSE(machine->kernel(id)->persistent);
  EXPECT_THAT(machine->launch({.kernel = id, .blocks = 5}).error().to_string(), HasSubstr("mark has no slices"));
  EXPECT_EQ(run({.kernel = id, .blocks = kAll}).blocks, kAll);
  backend::Geometry3 cooperative = kSolid;
  cooperative.cooperative = true;
  EXPECT_THAT(load("mark", mark_ptx(), cooperative)->code->no_slices, HasSubstr("cooperative"));
}

// Its warps return whole if a block has whole warps along x. Each launch is asked, though both share the code.
TEST_F(DeviceMachineOnStandIn, ATwinThatNeedsWholeWarpsRunsNoOtherBlocks) {
  const std::string row_of_each_warp =
      "mov.u32 %r1, %ctaid.x; .reg .pred %p<3>; .reg .b32 %w<6>; mov.u32 %w1, %ntid.x; mov.u32 %w2, %tid.x;"
      "mad.lo.u32 %w3, %r1, %w1, %w2; shr.u32 %w4, %w3, 5; setp.ge.u32 %p1, %w4, 99; @%p1 ret;"
      "shfl.sync.bfly.b32 %w5|%p2, %w3, 1, 31, -1;";
  backend::Geometry3 whole_warps = kSolid;
  whole_warps.group_size = {256, 1, 1};
  const auto whole = load("mark", mark_ptx(row_of_each_warp), whole_warps);
  EXPECT_EQ(why_not_persistent(*whole), "");
  const KernelId id = add(whole);
  EXPECT_TRUE(machine->kernel(id)->persistent);
  EXPECT_EQ(run({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1}).blocks, kAll);

  backend::Geometry3 parted_warps = kSolid;
  parted_warps.group_size = {48, 2, 1};
  const auto parted = kernel_on_ints(*device, "mark", whole->code, parted_warps, kAll);
  EXPECT_THAT(why_not_persistent(*parted), HasSubstr("block.x is a multiple of 32, and they are 48 x 2 x 1"));
  EXPECT_FALSE(machine->traits_of(*parted).value().persistent);
  const KernelId other = machine->add(parted, machine->traits_of(*whole).value()).value();
  EXPECT_FALSE(machine->kernel(other)->persistent);
  EXPECT_THAT(
      machine->launch({.kernel = other, .form = Form::persistent, .blocks = kAll, .per_sm = 1}).error().to_string(),
      HasSubstr("mark has no persistent form"));
  EXPECT_EQ(run({.kernel = other, .form = Form::slices, .blocks = 5}).blocks, 5U);
}

TEST_F(DeviceMachineOnStandIn, AFaultLosesAllThatRuns) {
  const KernelId good = add(load());
  cuda->persistent_blocks = 1;
  machine->launch({.kernel = good, .form = Form::persistent, .blocks = kAll, .per_sm = 1, .lane = 0}).value();
  machine->launch({.kernel = add(load("illegal")), .blocks = kAll, .lane = 1}).value();
  for (const Ended& ended : wait_for(*machine, 2)) EXPECT_EQ(ended.error.value().code(), ErrorCode::device_lost);
  EXPECT_EQ(machine->launch({.kernel = good, .blocks = kAll}).error().code(), ErrorCode::device_lost);
}

TEST_F(DeviceMachineOnStandIn, DestroyingItStopsWhatRuns) {
  const auto kernel = load();
  cuda->persistent_blocks = 7;
  machine->launch({.kernel = add(kernel), .form = Form::persistent, .blocks = kAll, .per_sm = 1}).value();
  machine.reset();
  const std::vector<int> hits = hits_of(*kernel);
  EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 7);
}

TEST_F(DeviceMachineOnStandIn, PairsShareItByPersistentTwins) {
  std::vector<std::shared_ptr<const LoadedKernel>> kernels = {load(), load()};
  std::vector<Work> works;
  for (const auto& kernel : kernels) {
    KernelTraits traits = machine->traits_of(*kernel).value();
    traits.alone = nanoseconds_from_ms(10);
    works.push_back({.kernel = machine->add(kernel, traits).value()});
  }
  Trace trace;
  Scheduler scheduler(*machine, find_policy("paired").value(), {}, &trace);
  scheduler.learn(works[0].kernel, works[1].kernel, {.ratio = {3, 2}, .rates = {0.9, 0.9}});
  scheduler.submit(works).value();
  while (!scheduler.is_idle()) {
    scheduler.dispatch();
    if (scheduler.is_running()) scheduler.note(machine->wait(scheduler.deadline()));
  }
  for (const Finished& finished : scheduler.take_finished())
    EXPECT_TRUE(finished.result) << finished.result.error().to_string();
  for (const auto& kernel : kernels) EXPECT_THAT(hits_of(*kernel), Each(1));
  EXPECT_THAT(trace.spans(), testing::Contains(testing::Field(&Span::form, Form::persistent)));
}

// Streams and words of persistent blocks exist before the first launch.
TEST_F(DeviceMachineOnStandIn, HasWhatTheFirstLaunchesOfTwoKernelsNeed) {
  const KernelId id = add(load());
  const auto before = cuda->live();
  for (const unsigned lane : {0U, 8U})
    machine->launch({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1, .lane = lane}).value();
  wait_for(*machine, 2);
  EXPECT_EQ(cuda->live(), before);
}

TEST_F(DeviceMachineOnStandIn, LeavesNothingBehind) {
  const KernelId id = add(load());
  run({.kernel = id, .form = Form::persistent, .blocks = kAll, .per_sm = 1, .sms = {0, 16}});
  run({.kernel = id, .form = Form::slices, .blocks = 10, .priority = 1});
  EXPECT_GT(cuda->live(), 0);
  machine.reset();
  device.reset();
  EXPECT_EQ(cuda->live(), 0);
}

// 6,400 blocks take 10 ms, 8 on each of 10 SMs at once: 125 us each, so a chunk is one block. In 1 ms they take 12.5 us
// each, so it is two.
TEST(PersistentChunk, IsWhatRunsForTheChunkTime) {
  KernelTraits traits{
      .name = "k", .block = {}, .blocks = 6400, .alone = nanoseconds_from_ms(10), .profile = {}, .utilisation = {}};
  traits.profile.blocks_alone = 8;
  const Launch all{.blocks = 6400};
  const Nanoseconds time(20e3);
  EXPECT_EQ(fetching_of(traits, all, 10, 80, time).chunk, 1U);
  traits.alone = nanoseconds_from_ms(1);
  EXPECT_EQ(fetching_of(traits, all, 10, 80, time).chunk, 2U);
}

// If all take 100 us, a block takes 1.25 us, and 16 would run for 20 us. But 80 resident blocks can fetch eight times
// only with chunks of 6,400 / (8 * 80) = 10. A launch of 640 blocks has chunks of one.
TEST(PersistentChunk, LeavesEachResidentBlockEightToFetch) {
  KernelTraits traits{
      .name = "k", .block = {}, .blocks = 6400, .alone = Nanoseconds(100e3), .profile = {}, .utilisation = {}};
  traits.profile.blocks_alone = 8;
  const Nanoseconds time(20e3);
  EXPECT_EQ(fetching_of(traits, {.blocks = 6400}, 10, 80, time).chunk, 10U);
  EXPECT_EQ(fetching_of(traits, {.blocks = 640}, 10, 80, time).chunk, 1U);
  traits.alone = std::nullopt;
  EXPECT_EQ(fetching_of(traits, {.blocks = 6400}, 10, 80, time).chunk, 1U);  // unknown time
}

// A million blocks in 1 ms are 1 ns apart. Chunks of ten leave 10 ns between two fetches, though they run for only 1
// us.
TEST(PersistentChunk, KeepsFetchesApart) {
  KernelTraits traits{
      .name = "k", .block = {}, .blocks = 1'000'000, .alone = nanoseconds_from_ms(1), .profile = {}, .utilisation = {}};
  traits.profile.blocks_alone = 10;
  EXPECT_EQ(fetching_of(traits, {.blocks = 1'000'000}, 10, 100, Nanoseconds(1)).chunk, 10U);
}

// A block takes 125 us with 80 at once, and at least 15.6 us with 10.
TEST(PersistentChunk, IsFetchedAheadOfShortBlocks) {
  KernelTraits traits{
      .name = "k", .block = {}, .blocks = 6400, .alone = nanoseconds_from_ms(10), .profile = {}, .utilisation = {}};
  traits.profile.blocks_alone = 8;
  EXPECT_FALSE(fetching_of(traits, {.blocks = 6400}, 10, 80, Nanoseconds(20e3)).ahead);
  EXPECT_TRUE(fetching_of(traits, {.blocks = 6400}, 10, 10, Nanoseconds(20e3)).ahead);
}

// The launch was sent at 100 and noticed at 200, while the device says 10 to 40. Its clock is behind by 90 to 160.
TEST(DeviceClock, MovesAsLittleAsALaunchAsksFor) {
  DeviceClock clock;
  const auto map = [&](double begin, double end, double sent, double noticed) {
    return clock.on_host({Nanoseconds(begin), Nanoseconds(end)}, Nanoseconds(sent), Nanoseconds(noticed)).begin.value();
  };
  EXPECT_EQ(map(10, 40, 100, 200), 170);    // noticed at once, for all that is known
  EXPECT_EQ(map(50, 60, 150, 400), 210);    // by the same 160, which lies between 100 and 340
  EXPECT_EQ(map(100, 110, 200, 250), 240);  // noticed sooner: 140
  EXPECT_EQ(map(200, 210, 345, 400), 345);  // begun after it was sent: 145
}

}  // namespace
}  // namespace wattune::schedule
