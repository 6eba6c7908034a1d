// Tests the machine of real devices on OpenCL, on any device of this computer (PoCL if there is no GPU).
#include "schedule/interface/device_machine.h"
#include "backend/support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "schedule/device_machine_support.h"
#include "schedule/interface/queue_experiment.h"
#include "schedule/interface/runtime.h"
#include "schedule/interface/scheduler.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::Each;
using testing::HasSubstr;

// Kernels with blocks of one row of 8, and of 4 x 2. The second one asks for what a slice would change.
constexpr char kCounting[] = "kernel void f(global int* hits) { ++hits[get_global_id(0)]; }";
constexpr char kAsking[] = R"(kernel void f(global int* hits) {
  const int block = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
  hits[block * 8 + item] += 1 + block + get_global_size(0) * 100;
})";
constexpr backend::Geometry3 kRow{.groups = {60, 1, 1}, .group_size = {8, 1, 1}};
constexpr backend::Geometry3 kBox{.groups = {5, 4, 3}, .group_size = {4, 2, 1}};
constexpr std::uint64_t kBlocks = 60;  // of both kernels
constexpr std::size_t kItems = 480;

class DeviceMachineOnOpencl : public testing::Test {
 protected:
  void SetUp() override {
    const auto opencl = backend::opencl_selector();
    if (!opencl) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::open_device(*opencl).value();
    machine = DeviceMachine::make(*device).value();
  }

  std::shared_ptr<const LoadedKernel> load(const char* text, const backend::Geometry3& geometry) {
    KernelSource source;
    source.function = "f";
    source.text = text;
    auto code = load_code(*device, source, {}, geometry).value();
    return kernel_on_ints(*device, "f", std::move(code), geometry, kItems);
  }
  KernelId add(const std::shared_ptr<const LoadedKernel>& kernel) {
    return machine->add(kernel, machine->traits_of(*kernel).value()).value();
  }
  std::vector<int> ints_of(const LoadedKernel& kernel) { return read_ints(*device, *kernel.buffers.front()); }

  std::unique_ptr<backend::Device> device;
  std::unique_ptr<DeviceMachine> machine;
};

// Runs works under a policy until none is left.
std::vector<Finished> run_all(Scheduler& scheduler, Machine& machine, const std::vector<Work>& works) {
  scheduler.submit(works).value();
  std::vector<Finished> all;
  while (!scheduler.is_idle()) {
    scheduler.dispatch();
    if (scheduler.is_running()) scheduler.note(machine.wait(scheduler.deadline()));
    for (Finished& finished : scheduler.take_finished()) all.push_back(std::move(finished));
  }
  return all;
}

TEST_F(DeviceMachineOnOpencl, SlicesDoWhatTheWholeDoes) {
  const auto whole = load(kAsking, kBox);
  const auto sliced = load(kAsking, kBox);
  machine->launch({.kernel = add(whole), .blocks = kBlocks}).value();
  const KernelId id = add(sliced);
  // Slices of 7 begin and end within rows of 5 and planes of 20.
  std::size_t launches = 1;
  for (std::uint64_t first = 0; first < kBlocks; first += 7, ++launches)
    machine
        ->launch({.kernel = id,
                  .form = Form::slices,
                  .first_block = first,
                  .blocks = std::min(kBlocks - first, std::uint64_t{7})})
        .value();
  for (const Ended& ended : wait_for(*machine, launches)) EXPECT_FALSE(ended.error);
  EXPECT_EQ(ints_of(*sliced), ints_of(*whole));
  EXPECT_EQ(ints_of(*whole).front(), 2001);  // block 0 of 20 work-items a row
}

TEST_F(DeviceMachineOnOpencl, ALaunchRunsItsBlocksAndNoOthers) {
  const auto kernel = load(kCounting, kRow);
  machine->launch({.kernel = add(kernel), .form = Form::slices, .first_block = 10, .blocks = 20}).value();
  const std::vector<Ended> ended = wait_for(*machine, 1);
  EXPECT_EQ(ended.front().blocks, 20U);
  const std::vector<int> hits = ints_of(*kernel);
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i], i >= 80 && i < 240 ? 1 : 0) << i;
}

TEST_F(DeviceMachineOnOpencl, AWholeLaunchOfWhatIsLeftIsASlice) {
  const auto kernel = load(kCounting, kRow);
  const KernelId id = add(kernel);
  machine->launch({.kernel = id, .form = Form::slices, .blocks = 25}).value();
  machine->launch({.kernel = id, .form = Form::whole, .first_block = 25, .blocks = 35}).value();
  wait_for(*machine, 2);
  EXPECT_THAT(ints_of(*kernel), Each(1));
}

TEST_F(DeviceMachineOnOpencl, TimesLieBetweenSendingAndNoticing) {
  const auto kernel = load(kCounting, kRow);
  const Nanoseconds before = machine->now();
  machine->launch({.kernel = add(kernel), .blocks = kBlocks}).value();
  const Ended ended = wait_for(*machine, 1).front();
  EXPECT_LE(before, ended.begin);
  EXPECT_LE(ended.begin, ended.end);
  EXPECT_LE(ended.end, machine->now());
}

TEST_F(DeviceMachineOnOpencl, TellsTheLimitsOfTheDeviceAndTheTraitsOfAKernel) {
  EXPECT_EQ(machine->limits().sms, device->info().compute_units);
  EXPECT_EQ(machine->limits().split_grain, machine->limits().sms);
  EXPECT_FALSE(machine->energy());  // OpenCL has no sensors
  const KernelTraits traits = machine->traits_of(*load(kAsking, kBox)).value();
  EXPECT_EQ(traits.blocks, kBlocks);
  EXPECT_EQ(traits.block.threads, 8U);
  EXPECT_TRUE(traits.sliceable);
  EXPECT_FALSE(traits.persistent);
}

TEST_F(DeviceMachineOnOpencl, RefusesByNameWhatItCannotDo) {
  const auto kernel = load(kCounting, kRow);
  const KernelId id = add(kernel);
  const auto refusal = [&](const Launch& launch) { return machine->launch(launch).error().to_string(); };
  EXPECT_THAT(refusal({.kernel = 7, .blocks = 1}), HasSubstr("no kernel of this number"));
  EXPECT_THAT(refusal({.kernel = id, .first_block = 50, .blocks = 11}),
              HasSubstr("f has 60 blocks, so that 11 blocks from block 50"));
  EXPECT_THAT(refusal({.kernel = id, .form = Form::persistent, .blocks = 60, .per_sm = 1}),
              HasSubstr("f has no persistent form"));
  EXPECT_THAT(refusal({.kernel = id, .blocks = 60, .sms = {.first = 0, .count = 1}}),
              HasSubstr("compute units of their own"));
  KernelTraits other = *machine->kernel(id);
  other.blocks = 61;
  EXPECT_THAT(machine->add(kernel, other).error().to_string(),
              HasSubstr("the traits are those of a grid with another number of blocks"));
}

TEST_F(DeviceMachineOnOpencl, AKernelWithoutSlicesSaysWhy) {
  const auto kernel = load((std::string("#define LAUNCH enqueue_kernel\n") + kCounting).c_str(), kRow);
  EXPECT_THAT(kernel->code->no_slices, HasSubstr("`enqueue_kernel`"));
  const KernelId id = add(kernel);
  EXPECT_FALSE(machine->kernel(id)->sliceable);
  EXPECT_THAT(machine->launch({.kernel = id, .blocks = 5}).error().to_string(), HasSubstr("f has no slices"));
}

KernelSource source_of(std::string text) {
  KernelSource source;
  source.function = "f";
  source.text = std::move(text);
  return source;
}

// The group's number is hidden in a header, in a pasted name, in an option and in the value of a parameter. Slices
// still see that of the whole grid.
TEST_F(DeviceMachineOnOpencl, SlicesSeeTheirGroupWhereverItsNameIsHidden) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / fmt::format("hidden_{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hid.h") << "static inline int group(void) { return get_group_id(0); }\n";
  const std::string kernel = "\nkernel void f(global int* hits) { hits[get_global_id(0)] += 1 + GROUP; }";
  KernelSource included = source_of("# include \"hid.h\"\n#define GROUP group()" + kernel);
  included.file = folder / "f.cl";
  const KernelSource pasted = source_of("#define J(a, b) a##b\n#define GROUP J(get_group, _id)(0)" + kernel);
  KernelSource option = source_of("#define GROUP NAME(0)" + kernel);
  option.options = {"-DNAME=get_group_id"};
  const KernelSource value = source_of(kernel);
  std::vector<int> expected;
  for (int item = 0; item < static_cast<int>(kItems); ++item) expected.push_back(1 + item / 8);
  for (const KernelSource& source : {included, pasted, option, value}) {
    const bool by_value = source.text == value.text;
    const backend::Macro macro{by_value ? "GROUP" : "OTHER", by_value ? "get_group_id(0)" : "1"};
    auto code = load_code(*device, source, std::span(&macro, 1), kRow).value();
    const auto loaded = kernel_on_ints(*device, "f", std::move(code), kRow, kItems);
    const KernelId id = add(loaded);
    for (std::uint64_t first = 0; first < kBlocks; first += 20)
      machine->launch({.kernel = id, .first_block = first, .blocks = 20}).value();
    wait_for(*machine, 3);
    EXPECT_EQ(ints_of(*loaded), expected) << source.text;
  }
  std::filesystem::remove_all(folder);
}

// The compiler finds what cannot be cut in a header.
TEST_F(DeviceMachineOnOpencl, AKernelWhoseHeaderForbidsSlicesRunsWhole) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("forbids_{}", ::getpid());
  std::filesystem::create_directories(folder);
  for (const char* header :
       {"static inline int one(void) { __asm__(\"\"); return 1; }", "#undef get_group_id\n#define one() 1",
        "#undef get_group_id\n#define get_group_id(d) 0\n#define one() 1"}) {
    std::ofstream(folder / "one.h") << header << "\n";
    KernelSource source =
        source_of("#include \"one.h\"\nkernel void f(global int* hits) { hits[get_global_id(0)] += one(); }");
    source.file = folder / "f.cl";
    const auto code = load_code(*device, source, {}, kRow).value();
    EXPECT_THAT(code->no_slices, HasSubstr("its code for slices does not compile")) << header;
  }
  std::filesystem::remove_all(folder);
}

TEST_F(DeviceMachineOnOpencl, WaitEndsByWakingAndAtItsMoment) {
  std::thread waker([&] { machine->wake(); });
  EXPECT_THAT(machine->wait(kForever), testing::IsEmpty());
  waker.join();
  const Nanoseconds until = machine->now() + nanoseconds_from_ms(1);
  EXPECT_THAT(machine->wait(until), testing::IsEmpty());
  EXPECT_GE(machine->now(), until);
}

TEST_F(DeviceMachineOnOpencl, RunsUnderPoliciesOfWholeKernels) {
  for (const char* policy : {"fifo", "streams", "priority"}) {
    const auto kernel = load(kCounting, kRow);
    const KernelId id = add(kernel);
    Scheduler scheduler(*machine, find_policy(policy).value());
    for (const Finished& finished : run_all(scheduler, *machine, std::vector<Work>(5, {.kernel = id})))
      EXPECT_TRUE(finished.result) << finished.result.error().to_string();
    EXPECT_THAT(ints_of(*kernel), Each(5)) << policy;
  }
}

// Kernels without a persistent form share the device in slices.
TEST_F(DeviceMachineOnOpencl, RunsPairsInSlices) {
  const auto first = load(kCounting, kRow);
  const auto second = load(kCounting, kRow);
  std::vector<Work> works;
  for (const auto& kernel : {first, second}) {
    KernelTraits traits = machine->traits_of(*kernel).value();
    traits.alone = nanoseconds_from_ms(10);
    traits.least_slice = 4;
    works.push_back({.kernel = machine->add(kernel, traits).value()});
  }
  Trace trace;
  Scheduler scheduler(*machine, find_policy("paired").value(), {}, &trace);
  scheduler.learn(works[0].kernel, works[1].kernel, {.ratio = {1, 1}, .rates = {0.9, 0.9}});
  for (const Finished& finished : run_all(scheduler, *machine, works))
    EXPECT_TRUE(finished.result) << finished.result.error().to_string();
  EXPECT_THAT(ints_of(*first), Each(1));
  EXPECT_THAT(ints_of(*second), Each(1));
  EXPECT_THAT(trace.spans(), testing::Contains(testing::Field(&Span::form, Form::slices)));
}

TEST_F(DeviceMachineOnOpencl, ServesThreadsThatSubmit) {
  constexpr int kThreads = 4;
  constexpr int kWorks = 5;
  std::vector<std::shared_ptr<const LoadedKernel>> kernels;
  std::vector<KernelId> ids;
  for (int i = 0; i < kThreads; ++i) {
    kernels.push_back(load(kCounting, kRow));
    ids.push_back(add(kernels.back()));
  }
  Runtime runtime(std::move(machine), {.policy = find_policy("streams").value()});
  std::vector<std::thread> threads;
  for (const KernelId id : ids)
    threads.emplace_back([&runtime, id] {
      for (int n = 0; n < kWorks; ++n) EXPECT_TRUE(runtime.submit({.kernel = id}).value().wait());
    });
  for (std::thread& thread : threads) thread.join();
  runtime.shutdown(Shutdown::finish);
  for (const auto& kernel : kernels) EXPECT_THAT(ints_of(*kernel), Each(kWorks));
}

TEST_F(DeviceMachineOnOpencl, AKernelThatFailsFailsAlone) {
  const auto good = load(kCounting, kRow);
  auto bad = std::make_shared<LoadedKernel>(
      LoadedKernel{.name = "bad", .code = good->code, .geometry = kRow, .arguments = {}, .buffers = {}});
  const std::vector<Work> works = {{.kernel = add(bad)}, {.kernel = add(good)}};
  Scheduler scheduler(*machine, find_policy("streams").value());
  const std::vector<Finished> finished = run_all(scheduler, *machine, works);
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_THAT(finished[0].result.error().to_string(), HasSubstr("takes 1 arguments, 0 given"));
  EXPECT_TRUE(finished[1].result);
  EXPECT_THAT(ints_of(*good), Each(1));
}

// Every launch takes longer than the limit of 1 ns.
TEST_F(DeviceMachineOnOpencl, AWorkBeyondItsLimitFails) {
  const auto kernel = load(kCounting, kRow);
  Scheduler scheduler(*machine, find_policy("fifo").value(), {.grace = kTestLimit});
  scheduler.submit(std::vector<Work>{{.kernel = add(kernel), .limit = Nanoseconds(1)}}).value();
  scheduler.dispatch();
  scheduler.dispatch();
  ASSERT_TRUE(scheduler.is_running());
  scheduler.note(wait_for(*machine, 1));
  EXPECT_EQ(scheduler.take_finished().front().result.error().code(), ErrorCode::timeout);
}

TEST_F(DeviceMachineOnOpencl, ACancelledWorkEndsWithTheSliceThatRuns) {
  const auto kernel = load(kCounting, kRow);
  const KernelId id = add(kernel);
  const Policy slices = [](const QueueView& view, const PairTable&) {
    Plan plan;
    for (const Candidate& each : view.works)
      plan.shares.push_back({.work = each.work, .form = Form::slices, .slice_blocks = 6});
    return plan;
  };
  Scheduler scheduler(*machine, slices);
  const WorkId work = scheduler.submit(std::vector<Work>{{.kernel = id}}).value().front();
  scheduler.dispatch();
  EXPECT_TRUE(scheduler.cancel(work));
  scheduler.note(wait_for(*machine, 1));
  EXPECT_TRUE(scheduler.is_idle());
  EXPECT_EQ(scheduler.take_finished().front().result.error().code(), ErrorCode::cancelled);
  const std::vector<int> hits = ints_of(*kernel);
  EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 48);  // 6 blocks of 8
}

TEST_F(DeviceMachineOnOpencl, LoadsASpecWithBuffersOfEachCopysOwn) {
  KernelSpec spec;
  spec.name = "counting";
  spec.source = {.language = Language::opencl, .function = "f", .text = kCounting};
  spec.geometry.sizes = {{{"8 * blocks"}, {}, {}}};
  spec.geometry.work_group = {{{"8"}, {}, {}}};
  spec.parameters = {{.name = "blocks", .values = {Value(std::int64_t{60})}}};
  spec.arguments = {{"hits", VectorArgument{.type = ElementType::int32,
                                            .length = {"480"},
                                            .access = ArgumentAccess::read_write,
                                            .fill = FillConstant{.value = 3.0}}}};
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"blocks"});
  const Configuration configuration(0, names, {Value(std::int64_t{60})});
  const auto copies = load_kernel(*device, spec, configuration, {.copies = 2}).value();
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0]->code, copies[1]->code);
  machine->launch({.kernel = add(copies[0]), .blocks = kBlocks}).value();
  wait_for(*machine, 1);
  EXPECT_THAT(ints_of(*copies[0]), Each(4));
  EXPECT_THAT(ints_of(*copies[1]), Each(3));
}

// Works 1 and 3 use the first copy, work 2 the second; the kernel's own buffer stays unchanged.
TEST_F(DeviceMachineOnOpencl, LaunchesUseTheOutputsOfTheCopyThatTheyName) {
  KernelSpec spec;
  spec.arguments = {{"hits", VectorArgument{.type = ElementType::int32,
                                            .length = {"480"},
                                            .access = ArgumentAccess::read_write,
                                            .fill = FillConstant{.value = 0.0}}}};
  const auto kernel = load(kCounting, kRow);
  std::vector<std::shared_ptr<const LoadedKernel>> copies;
  const auto stream = device->create_stream().value();
  while (copies.size() < 2) {
    copies.push_back(with_own_outputs(*device, spec, *kernel).value());
    stream->copy(*kernel->buffers.front(), *copies.back()->buffers.front()).value();
  }
  stream->finish(kTestLimit).value();
  const KernelId id = add(kernel);
  machine->set_copies(id, copies);
  for (const std::size_t copy : {1, 2, 3}) machine->launch({.kernel = id, .blocks = kBlocks, .copy = copy}).value();
  wait_for(*machine, 3);
  EXPECT_THAT(ints_of(*kernel), Each(0));
  EXPECT_THAT(ints_of(*copies[0]), Each(2));
  EXPECT_THAT(ints_of(*copies[1]), Each(1));
}

TEST_F(DeviceMachineOnOpencl, EachWorkOfAQueueUsesTheNextCopyOfItsKernel) {
  KernelSpec spec;
  spec.arguments = {
      {"hits", VectorArgument{
                   .type = ElementType::int32, .length = {"480"}, .access = ArgumentAccess::write_only, .fields = {}}}};
  const auto kernel = load(kCounting, kRow);
  std::vector<std::shared_ptr<const LoadedKernel>> copies;
  const auto stream = device->create_stream().value();
  while (copies.size() < 3) {
    copies.push_back(with_own_outputs(*device, spec, *kernel).value());
    stream->copy(*kernel->buffers.front(), *copies.back()->buffers.front()).value();
  }
  stream->finish(kTestLimit).value();
  const KernelId id = add(kernel);
  machine->set_copies(id, copies);
  const std::vector<Arrival> arrivals(3, Arrival{.kernel = id});
  const QueueOptions options{.policy = "fifo", .uses_copies = true};
  const QueueRun run = run_queue(*machine, arrivals, options, PairTable()).value();
  EXPECT_LT(run.first_block, run.makespan);
  for (const auto& copy : copies) EXPECT_THAT(ints_of(*copy), Each(1));
  EXPECT_THAT(ints_of(*kernel), Each(0));
}

}  // namespace
}  // namespace wattune::schedule
