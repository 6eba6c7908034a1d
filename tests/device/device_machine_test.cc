// The machine of real devices on a GPU: kernels of benchmarks/ in slices, by persistent twins, stopped and resumed,
// side by side and on some of the multiprocessors. The results are compared bit by bit with those of the whole kernels.
#include "schedule/interface/device_machine.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>

#include "device/benchmarks_folder.h"
#include "device/gpu.h"
#include "schedule/device_machine_support.h"
#include "schedule/digest_checks.h"
#include "schedule/interface/kernel_use.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/backend/attach.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::schedule {
namespace {

using KernelCopies = std::vector<std::shared_ptr<const LoadedKernel>>;
using Contents = std::vector<std::vector<std::byte>>;

// A kernel that records which SM ran each block, and runs so long that all SMs take part.
constexpr char kWhere[] = R"(
extern "C" __global__ void where(int* sm) {
  unsigned id;
  asm volatile("mov.u32 %0, %smid;" : "=r"(id));
  const long long begin = clock64();
  while (clock64() - begin < 20000) {}
  if (threadIdx.x == 0) sm[blockIdx.x] = id;
}
)";

class MachineOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!device_test::reason_for_none().empty()) GTEST_SKIP() << device_test::reason_for_none();
    device = backend::open_cuda_in_primary_context("cuda:0").value();
    machine = DeviceMachine::make(*device).value();
  }

  // Loads a kernel of benchmarks/ in its default configuration.
  KernelCopies load(const std::string& name, std::size_t copies) {
    const KernelSpec spec = spec::load(device_test::benchmarks_folder() / name / (name + ".toml")).value();
    const auto space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
    return load_kernel(*device, spec, space.configuration(space.default_configuration()), {.copies = copies}).value();
  }
  KernelId add(const std::shared_ptr<const LoadedKernel>& kernel) {
    return machine->add(kernel, machine->traits_of(*kernel).value()).value();
  }
  std::uint64_t blocks_of(KernelId id) const { return machine->kernel(id)->blocks; }
  // Returns the bytes of all buffers.
  Contents contents_of(const LoadedKernel& kernel) {
    const auto stream = device->create_stream().value();
    Contents contents;
    for (const auto& buffer : kernel.buffers) {
      if (buffer == nullptr) continue;
      stream->read(*buffer, contents.emplace_back(buffer->bytes())).value();
    }
    stream->finish(kTestLimit).value();
    return contents;
  }
  void run(const Launch& launch) {
    machine->launch(launch).value();
    for (const Ended& ended : wait_for(*machine, 1)) EXPECT_FALSE(ended.error) << ended.error->to_string();
  }
  // Returns the outputs of the whole kernel.
  Contents whole(const std::shared_ptr<const LoadedKernel>& kernel) {
    const KernelId id = add(kernel);
    run({.kernel = id, .blocks = blocks_of(id)});
    return contents_of(*kernel);
  }

  std::unique_ptr<backend::Device> device;
  std::unique_ptr<DeviceMachine> machine;
};

TEST_F(MachineOnGpu, DigestsAreOfEachWordAndItsPlace) { expect_digests_of_contents(*device); }

class BenchmarkOnMachine : public MachineOnGpu, public testing::WithParamInterface<const char*> {};

TEST_P(BenchmarkOnMachine, SlicesGiveTheSameBits) {
  const KernelCopies copies = load(GetParam(), 2);
  ASSERT_EQ(copies[0]->code->no_slices, "");
  const KernelId id = add(copies[1]);
  const std::uint64_t slice = blocks_of(id) / 7 + 1;  // the slices end within rows
  for (std::uint64_t first = 0; first < blocks_of(id); first += slice)
    run({.kernel = id, .form = Form::slices, .first_block = first, .blocks = std::min(slice, blocks_of(id) - first)});
  EXPECT_TRUE(contents_of(*copies[1]) == whole(copies[0]));
}

TEST_P(BenchmarkOnMachine, APersistentTwinGivesTheSameBits) {
  const KernelCopies copies = load(GetParam(), 2);
  ASSERT_EQ(copies[0]->code->no_persistent, "");
  const KernelId id = add(copies[1]);
  run({.kernel = id, .form = Form::persistent, .blocks = blocks_of(id), .per_sm = 1});
  EXPECT_TRUE(contents_of(*copies[1]) == whole(copies[0]));
}

// One block is resident on each multiprocessor, and 20 us pass until the stop, so most stops come while the kernel
// runs.
TEST_P(BenchmarkOnMachine, StoppedAndResumedItGivesTheSameBits) {
  const KernelCopies copies = load(GetParam(), 2);
  const KernelId id = add(copies[1]);
  std::uint64_t done = 0;
  for (int round = 0; done < blocks_of(id); ++round) {
    ASSERT_LT(round, 100'000);
    const LaunchId launch = machine
                                ->launch({.kernel = id,
                                          .form = Form::persistent,
                                          .first_block = done,
                                          .blocks = blocks_of(id) - done,
                                          .per_sm = 1})
                                .value();
    std::vector<Ended> all = machine->wait(machine->now() + Nanoseconds(20e3));
    if (all.empty()) {
      machine->stop(launch);
      all = wait_for(*machine, 1);
    }
    const Ended& ended = all.front();
    ASSERT_FALSE(ended.error) << ended.error->to_string();
    done += ended.blocks;
  }
  EXPECT_EQ(done, blocks_of(id));
  EXPECT_TRUE(contents_of(*copies[1]) == whole(copies[0]));
}

TEST_P(BenchmarkOnMachine, OnSomeMultiprocessorsItGivesTheSameBits) {
  const unsigned grain = machine->limits().split_grain;
  if (grain == machine->limits().sms) GTEST_SKIP() << "this driver splits no multiprocessors";
  const KernelCopies copies = load(GetParam(), 2);
  const KernelId id = add(copies[1]);
  run({.kernel = id, .blocks = blocks_of(id), .sms = {.first = grain, .count = 2 * grain}});
  EXPECT_TRUE(contents_of(*copies[1]) == whole(copies[0]));
}

INSTANTIATE_TEST_SUITE_P(Kernels, BenchmarkOnMachine, testing::Values("transpose", "convolution", "nbody"));

TEST_F(MachineOnGpu, PersistentTwinsSideBySideAreBothRight) {
  const KernelCopies compute = load("nbody", 2);
  const KernelCopies copy = load("transpose", 2);
  const KernelId first = add(compute[1]);
  const KernelId second = add(copy[1]);
  machine->launch({.kernel = first, .form = Form::persistent, .blocks = blocks_of(first), .per_sm = 1, .lane = 0})
      .value();
  machine->launch({.kernel = second, .form = Form::persistent, .blocks = blocks_of(second), .per_sm = 2, .lane = 1})
      .value();
  for (const Ended& ended : wait_for(*machine, 2)) EXPECT_FALSE(ended.error) << ended.error->to_string();
  EXPECT_TRUE(contents_of(*compute[1]) == whole(compute[0]));
  EXPECT_TRUE(contents_of(*copy[1]) == whole(copy[0]));
}

// Each pass begins from the original contents, so the outputs are those of one run.
TEST_F(MachineOnGpu, CountersTellWhatKernelsKeepBusy) {
  const KernelCopies compute = load("nbody", 2);
  const auto use = read_use(*device, *compute[1]);
  if (!use && use.error().code() == ErrorCode::unavailable) GTEST_SKIP() << use.error().to_string();
  ASSERT_TRUE(use) << use.error().to_string();
  EXPECT_TRUE(std::ranges::all_of(*use, [](const std::optional<double>& share) { return share.has_value(); }));
  EXPECT_GT(use->front(), use->back());  // it issues more than it moves
  const auto of_copy = read_use(*device, *load("transpose", 1).front()).value();
  EXPECT_GT(of_copy[simulate::kSmResources], (*use)[simulate::kSmResources]);  // L2
  EXPECT_TRUE(contents_of(*compute[1]) == whole(compute[0]));
}

// The driver may give a range two multiprocessors more if code with dynamic parallelism is loaded; there is none here.
TEST_F(MachineOnGpu, RangesThatDoNotOverlapRunOnOtherMultiprocessors) {
  const MachineLimits& limits = machine->limits();
  if (limits.split_grain == limits.sms) GTEST_SKIP() << "this driver splits no multiprocessors";
  KernelSource source;
  source.language = Language::cuda;
  source.function = "where";
  source.text = kWhere;
  const backend::Geometry3 geometry{.groups = {4096, 1, 1}, .group_size = {64, 1, 1}};
  const auto code = load_code(*device, source, {}, geometry).value();
  const unsigned half = limits.sms / 2 / limits.split_grain * limits.split_grain;
  std::vector<std::set<int>> seen;
  for (const SmRange& sms : {SmRange{0, limits.split_grain}, SmRange{limits.split_grain, half - limits.split_grain},
                             SmRange{half, limits.sms - half}}) {
    const auto kernel = kernel_on_ints(*device, "where", code, geometry, 4096);
    run({.kernel = add(kernel), .blocks = 4096, .sms = sms});
    const std::vector<int> where = read_ints(*device, *kernel->buffers.front());
    seen.emplace_back(where.begin(), where.end());
    EXPECT_EQ(seen.back().size(), sms.count);
  }
  std::set<int> all;
  for (const std::set<int>& each : seen) all.insert(each.begin(), each.end());
  EXPECT_EQ(all.size(), limits.sms);
}

}  // namespace
}  // namespace wattune::schedule
