// Works of several launches: on the stand-in for CUDA's driver, on OpenCL and on a simulated GPU.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda_support.h"
#include "backend/support.h"
#include "fakes/cuda/fake_cuda.h"
#include "schedule/device_machine_support.h"
#include "schedule/interface/kernel_outputs.h"
#include "schedule/interface/simulated_machine.h"
#include "simulate/interface/corun_kernels.h"
#include "wattune/backend/attach.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/schedule/session.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr backend::Geometry3 kSequenceGrid{.groups = {60, 1, 1}, .group_size = {64, 1, 1}};
constexpr std::uint64_t kBlocksOfOne = 60;
constexpr std::uint64_t kBlocksOfBoth = 120;

class SequenceOnStandIn : public testing::Test {
 protected:
  void SetUp() override {
    // The library and its state live as long as the process.
    cuda = reinterpret_cast<fakes::FakeCuda* (*)()>(
        dlsym(dlopen(backend::kLibcuda.c_str(), RTLD_NOW), "wattune_fake_cuda"))();
    cuda->persistent_blocks = 0;
    device = backend::open_cuda_in_primary_context("cuda:0").value();
    machine = DeviceMachine::make(*device).value();
    first = mark(mark_ptx());
    second = mark(mark_ptx());
  }
  // Returns a kernel that counts in a buffer of its own how often each block ran.
  std::shared_ptr<const LoadedKernel> mark(const std::string& text) {
    return kernel_on_ints(*device, "mark",
                          load_code(*device, backend::cuda_source(text, "mark"), {}, kSequenceGrid).value(),
                          kSequenceGrid, kBlocksOfOne);
  }
  std::shared_ptr<const LoadedKernel> both() {
    auto sequence = std::make_shared<LoadedKernel>(*first);
    sequence->name = "both";
    sequence->then = {second};
    return sequence;
  }
  KernelId add(const std::shared_ptr<const LoadedKernel>& kernel) {
    return machine->add(kernel, machine->traits_of(*kernel).value()).value();
  }
  std::vector<int> hits_of(const LoadedKernel& kernel) { return read_ints(*device, *kernel.buffers.front()); }

  fakes::FakeCuda* cuda = nullptr;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<DeviceMachine> machine;
  std::shared_ptr<const LoadedKernel> first;
  std::shared_ptr<const LoadedKernel> second;
};

// Slices of 50 blocks begin in the first launch and end in the second.
TEST_F(SequenceOnStandIn, RunsTheBlocksOfAllLaunchesInEachForm) {
  const KernelId id = add(both());
  EXPECT_EQ(machine->kernel(id)->blocks, kBlocksOfBoth);
  EXPECT_EQ(machine->kernel(id)->launches, 2U);
  machine->launch({.kernel = id, .blocks = kBlocksOfBoth}).value();
  for (const std::uint64_t from : {0, 50, 100})
    machine
        ->launch({.kernel = id,
                  .form = Form::slices,
                  .first_block = from,
                  .blocks = std::min<std::uint64_t>(50, kBlocksOfBoth - from)})
        .value();
  machine->launch({.kernel = id, .form = Form::persistent, .blocks = kBlocksOfBoth, .per_sm = 1}).value();
  std::uint64_t blocks = 0;
  for (const Ended& ended : wait_for(*machine, 5)) blocks += ended.blocks;
  EXPECT_EQ(blocks, 3 * kBlocksOfBoth);
  EXPECT_THAT(hits_of(*first), Each(3));
  EXPECT_THAT(hits_of(*second), Each(3));
}

// The first launch stops after 20 blocks. The second one must not begin then.
TEST_F(SequenceOnStandIn, AStoppedOneGoesOnAtItsNextBlock) {
  const KernelId id = add(both());
  cuda->persistent_blocks = 20;
  const LaunchId launch =
      machine->launch({.kernel = id, .form = Form::persistent, .blocks = kBlocksOfBoth, .per_sm = 1}).value();
  EXPECT_THAT(machine->wait(machine->now()), testing::IsEmpty());
  machine->stop(launch);
  EXPECT_EQ(wait_for(*machine, 1).front().blocks, 20U);
  EXPECT_THAT(hits_of(*second), Each(0));
  cuda->persistent_blocks = 0;
  machine->launch({.kernel = id, .form = Form::persistent, .first_block = 20, .blocks = 100, .per_sm = 1}).value();
  EXPECT_EQ(wait_for(*machine, 1).front().blocks, 100U);
  EXPECT_THAT(hits_of(*first), Each(1));
  EXPECT_THAT(hits_of(*second), Each(1));
}

// Works of a single kernel run in two lanes at once; those of a sequence would meet on its buffers.
TEST_F(SequenceOnStandIn, WorksOnTheSameBuffersWaitForEachOther) {
  const auto awaited_by_two_works_of = [&](const std::shared_ptr<const LoadedKernel>& kernel) {
    const KernelId id = add(kernel);
    const long before = cuda->awaited_events;
    for (const unsigned lane : {0U, 8U})
      machine->launch({.kernel = id, .blocks = machine->kernel(id)->blocks, .lane = lane}).value();
    wait_for(*machine, 2);
    return cuda->awaited_events - before;
  };
  EXPECT_EQ(awaited_by_two_works_of(first), 0);
  EXPECT_EQ(awaited_by_two_works_of(both()), 1);
}

TEST_F(SequenceOnStandIn, OneLaunchWithoutATwinMakesAllRunWhole) {
  second = mark(mark_ptx("mov.u32 %r1, %envreg1;"));
  const auto sequence = both();
  EXPECT_THAT(why_no_slices(*sequence), testing::AllOf(HasSubstr("(launch 2 of 2)"), HasSubstr("%envreg1")));
  const KernelId id = add(sequence);
  EXPECT_FALSE(machine->kernel(id)->persistent);
  EXPECT_FALSE(machine->kernel(id)->sliceable);
  EXPECT_THAT(machine->launch({.kernel = id, .blocks = 5}).error().to_string(), HasSubstr("both has no slices"));
  machine->launch({.kernel = id, .blocks = kBlocksOfBoth}).value();
  EXPECT_EQ(wait_for(*machine, 1).front().blocks, kBlocksOfBoth);
}

constexpr std::int64_t kStepItems = 480;

// Returns three steps, in each of which every element becomes its right neighbour plus one.
KernelSpec three_steps() {
  KernelSpec spec;
  spec.name = "steps";
  spec.source = {.language = Language::opencl,
                 .function = "advance",
                 .file = "advance.cl",
                 .text =
                     "kernel void advance(global const int* now, global int* next, int n) {\n"
                     "  const int i = get_group_id(0) * 8 + get_local_id(0);\n"
                     "  next[i] = now[(i + 1) % n] + 1;\n}\n"};
  spec.problem_size = {{"n", kStepItems}, {"steps", 3}};
  spec.arguments = {
      {"now",
       VectorArgument{
           .type = ElementType::int32, .length = {"n"}, .access = ArgumentAccess::read_write, .fill = FillIota{}}},
      {"next", VectorArgument{.type = ElementType::int32,
                              .length = {"n"},
                              .access = ArgumentAccess::write_only,
                              .comparison = OutputComparison::none}},
      {"n", ScalarArgument{.value = {"n"}}}};
  LaunchStep step;
  step.arguments = {0, 1, 2};
  step.geometry.sizes[0].text = "n";
  step.geometry.work_group[0].text = "8";
  step.repeat.text = "steps";
  step.swaps = {{0, 1}};
  spec.steps = {step};
  return spec;
}

Configuration default_of(const KernelSpec& spec) {
  const auto space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
  return space.configuration(space.default_configuration());
}

class SequenceOnOpencl : public testing::Test {
 protected:
  void SetUp() override {
    const auto opencl = backend::opencl_selector();
    if (!opencl) GTEST_SKIP() << "no OpenCL device on this machine";
    selector = *opencl;
    device = backend::open_device(selector).value();
    machine = DeviceMachine::make(*device).value();
  }
  std::shared_ptr<const LoadedKernel> load(const KernelSpec& spec) {
    return load_kernel(*device, spec, default_of(spec)).value().front();
  }

  std::string selector;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<DeviceMachine> machine;
};

// After three steps element i is i + 3 of before plus 3, in the buffer that `next` had. Slices of 7 blocks end within
// launches of 60.
TEST_F(SequenceOnOpencl, SlicesLeaveWhatTheWholeLeavesWhereBuffersChangePlaces) {
  const KernelSpec spec = three_steps();
  const auto kernel = load(spec);
  EXPECT_THAT(kernel->holders, ElementsAre(1, 0, 2));
  EXPECT_EQ(why_not_persistent(*kernel), "blocks stay resident in CUDA kernels only") << "of all launches alike";
  KernelOutputs outputs(*device, spec, *kernel, Sameness::bits);
  EXPECT_THAT(outputs.overwritten(), ElementsAre("now"));
  const KernelId id = machine->add(kernel, machine->traits_of(*kernel).value()).value();
  outputs.restore().value();
  run_alone(*machine, id).value();
  outputs.remember().value();
  std::vector<int> expected;
  for (std::int64_t i = 0; i < kStepItems; ++i) expected.push_back(static_cast<int>((i + 3) % kStepItems + 3));
  EXPECT_EQ(read_ints(*device, *kernel->buffers[1]), expected);

  outputs.restore().value();
  EXPECT_NE(outputs.difference().value(), std::nullopt);
  const std::uint64_t blocks = machine->kernel(id)->blocks;
  ASSERT_EQ(blocks, 180U);
  std::size_t launches = 0;
  for (std::uint64_t from = 0; from < blocks; from += 7, ++launches)
    machine
        ->launch({.kernel = id,
                  .form = Form::slices,
                  .first_block = from,
                  .blocks = std::min<std::uint64_t>(7, blocks - from)})
        .value();
  wait_for(*machine, launches);
  EXPECT_EQ(outputs.difference().value(), std::nullopt);
}

TEST_F(SequenceOnOpencl, ACopyHasItsOwnOutputsInAllLaunches) {
  const KernelSpec spec = three_steps();
  const auto kernel = load(spec);
  const auto copy = with_own_outputs(*device, spec, *kernel).value();
  for (std::size_t place = 0; place < launches_in(*copy); ++place)
    for (const std::size_t argument : {0, 1}) {
      const auto* const used = std::get<const backend::Buffer*>(launch_at(*copy, place).arguments[argument]);
      EXPECT_TRUE(used == copy->buffers[0].get() || used == copy->buffers[1].get());
    }
}

TEST_F(SequenceOnOpencl, TooManyLaunchesAreNoWork) {
  KernelSpec spec = three_steps();
  spec.problem_size[1].value = 1001;
  EXPECT_THAT(load_kernel(*device, spec, default_of(spec)).error().to_string(),
              HasSubstr("the spec has 1001 launches, and a work has at most 1000"));
}

// Launch i has i + 1 groups. Code for slices knows its grid, so nine grids would need nine programs.
TEST_F(SequenceOnOpencl, LaunchesOfManyGridsRunWhole) {
  KernelSpec spec = three_steps();
  spec.problem_size[1].value = 9;
  spec.steps.front().index = "i";
  spec.steps.front().geometry.sizes[0].text = "8 * (i + 1)";
  const auto kernel = load(spec);
  EXPECT_EQ(launches_in(*kernel), 9U);
  EXPECT_EQ(blocks_of(*kernel), 45U);
  EXPECT_THAT(why_no_slices(*kernel), HasSubstr("launches have 9 different grids"));
  EXPECT_EQ(kernel->code, kernel->then.back()->code);
}

TEST_F(SequenceOnOpencl, ASessionSweepsItAndComparesItsOutputs) {
  const auto session = open({three_steps(), three_steps()}, {.device = selector}).value();
  EXPECT_EQ(session->kernels()[0].traits.launches, 3U);
  const SweptPair pair = session->sweep(0, 1, {.rounds = 1, .least_time = Nanoseconds(0)}).value();
  ASSERT_TRUE(pair.outputs);
  EXPECT_THAT(pair.outputs->differences, testing::IsEmpty());
  EXPECT_GT(pair.outputs->compared, 0U);
  EXPECT_THAT(pair.outputs->not_compared, testing::IsEmpty());
  EXPECT_TRUE(std::ranges::any_of(pair.sweep.rows, is_share));
}

simulate::SimulatedKernel published(const std::string& name, std::uint64_t blocks) {
  const std::vector<simulate::KerneletKernel>& all = simulate::kernelet_kernels();
  simulate::SimulatedKernel kernel =
      std::ranges::find(all, name, [](const auto& row) { return row.kernel.name; })->kernel;
  kernel.blocks = blocks;
  return kernel;
}

// The second launch begins when the first one has ended, but for the time that launching takes.
TEST(SimulatedSequence, TakesAsLongAsItsLaunches) {
  const simulate::GpuModel gpu = simulate::with_sms(*simulate::find_gpu_model("C2050"), 2);
  const simulate::SimulatedKernel one = published("TEA", 64);
  const simulate::SimulatedKernel other = published("PC", 32);
  const KernelTraits traits = profile_alone({one, other}, gpu).value();
  EXPECT_EQ(traits.blocks, 96U);
  EXPECT_EQ(traits.launches, 2U);
  const Nanoseconds both = time_alone(one, gpu).value() + time_alone(other, gpu).value();
  EXPECT_GE(*traits.alone, both);
  EXPECT_LT(*traits.alone, 1.1 * both);
}

TEST(SimulatedSequence, AStoppedOneGoesOnAtItsNextBlock) {
  const simulate::GpuModel gpu = simulate::with_sms(*simulate::find_gpu_model("C2050"), 2);
  const std::vector<simulate::SimulatedKernel> launches = {published("TEA", 64), published("TEA", 64)};
  SimulatedMachine machine(gpu);
  const KernelId id = machine.add(launches, profile_alone(launches, gpu).value());
  const Nanoseconds alone = *machine.kernel(id)->alone;
  std::uint64_t done = 0;
  std::size_t stops = 0;
  while (done < 128) {
    const LaunchId launch =
        machine.launch({.kernel = id, .form = Form::persistent, .first_block = done, .blocks = 128 - done, .per_sm = 4})
            .value();
    std::vector<Ended> ended = machine.wait(machine.now() + 0.3 * alone);
    if (ended.empty()) {
      machine.stop(launch);
      ended = machine.wait(kForever);
      ++stops;
    }
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended.front().launch, launch);
    ASSERT_GT(ended.front().blocks, 0U);
    done += ended.front().blocks;
  }
  EXPECT_EQ(done, 128U);
  EXPECT_GE(stops, 2U);
}

TEST(SimulatedSequence, RunsInSweepsAndQueues) {
  const auto session = open_simulated({"PC+TEA", "ST"}, 2, {.device = "C2050"}).value();
  EXPECT_EQ(session->kernels()[0].traits.name, "PC+TEA");
  EXPECT_EQ(session->kernels()[0].traits.launches, 2U);
  const SweptPair pair = session->sweep(0, 1).value();
  EXPECT_TRUE(std::ranges::any_of(pair.sweep.rows, [](const SweepRow& row) { return is_share(row) && !row.failure; }));
  const QueueReport report = session->run_queue({.policies = {"paired", "kernelet", "split"}, .works = 12}).value();
  for (const PolicyRun& policy : report.policies) EXPECT_GT(policy.makespan, Nanoseconds(0)) << policy.policy;
  EXPECT_EQ(open_simulated({"PC+XYZ"}, 2, {.device = "C2050"}).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace wattune::schedule
