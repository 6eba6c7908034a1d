// The CUDA device against stand-ins for the driver and its compiler (fakes/cuda/fake_cuda.h).
#include <dlfcn.h>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

fakes::FakeCuda& fake() {
  static void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW | RTLD_LOCAL);
  static auto* const get = reinterpret_cast<fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"));
  return *get();
}

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    fake().context_result = 0;
    fake().launch_gap_ms = 0.0;
    fake().holds = true;
    fake().launches_wait = false;
    fake().first_launches_wait = false;
    device = open_device("cuda:0").value();
    stream = device->create_stream().value();
  }
  // Checks that everything is freed, unless a test abandoned a context.
  void TearDown() override {
    program.reset();
    stream.reset();
    device.reset();
    if (!abandoned) {
      EXPECT_EQ(fake().live(), before) << "objects of the driver leaked";
    }
    EXPECT_EQ(fake().blocked_transfers, 0) << "a transfer waited without a limit";
  }

  Result<std::unique_ptr<Kernel>> build(const std::string& function, const std::string& text = kKernels,
                                        const std::vector<Macro>& macros = {}) {
    WATTUNE_ASSIGN(program, device->build(cuda_source(text, function), macros, kLimit));
    return program->kernel(function);
  }

  Result<Nanoseconds> run(const std::string& function, std::vector<LaunchArgument> arguments = {},
                          const Geometry3& geometry = {}, Nanoseconds limit = kLimit) {
    WATTUNE_ASSIGN(const auto kernel, build(function));
    WATTUNE_ASSIGN(const auto event, stream->launch(*kernel, geometry, arguments));
    WATTUNE_TRY(stream->finish(limit));
    return event->duration();
  }

  // Returns the time of a kernel's second launch.
  Nanoseconds run_twice() {
    const auto kernel = build("noop").value();
    std::unique_ptr<Event> event;
    for (int i = 0; i < 2; ++i) {
      event = stream->launch(*kernel, {}, {}).value();
      stream->finish(kLimit).value();
    }
    return event->duration().value();
  }

  void expect_working_after_reset() {
    EXPECT_EQ(device->create_buffer(4).error().code(), ErrorCode::device_lost);
    device->reset().value();
    stream = device->create_stream().value();
    const auto x = buffer_with<float>(*device, *stream, {1, 2});
    ASSERT_TRUE(run("scale", {x.get(), scalar(3.0f), scalar(2)}));
    EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(3.0f, 6.0f));
  }

  const long before = fake().live();
  bool abandoned = false;
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Program> program;  // of the last build
};

TEST_F(Cuda, DescribesItsDeviceCompletely) {
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.selector, "cuda:0");
  EXPECT_EQ(info.backend, "cuda");
  EXPECT_EQ(info.kind, DeviceKind::gpu);
  EXPECT_EQ(info.name, "Stand-in GPU");
  EXPECT_EQ(info.driver_version, "CUDA 12.8");
  EXPECT_EQ(info.architecture, "sm_90");
  EXPECT_THAT(info.types, ElementsAre("half", "double", "bfloat16"));
  EXPECT_EQ(info.compute_units, 132u);
  EXPECT_EQ(info.clock_mhz, 1980.0);
  EXPECT_EQ(info.local_memory_bytes, 232448u);  // with permission
  EXPECT_THAT(info.max_work_item_sizes.value(), ElementsAre(1024u, 1024u, 64u));
  EXPECT_EQ(device->build(source_of(""), {}, kLimit).error().code(), ErrorCode::invalid_argument);  // OpenCL
}

TEST_F(Cuda, RunsAKernelAndTellsItsTime) {
  const auto x = buffer_with<float>(*device, *stream, iota(4));
  const auto time = run("scale", {x.get(), scalar(2.0f), scalar(4)}, {.groups = {1, 1, 1}, .group_size = {32, 1, 1}});
  ASSERT_TRUE(time) << time.error().to_string();
  EXPECT_NEAR(time->value(), 32e3, 1.0);  // the stand-in takes a microsecond for each thread of a block
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(0, 2, 4, 6));
}

// Takes the second of two launches of a kernel that runs 1 us; sending each takes 5 us.
TEST_F(Cuda, KeepsTheHostsTimeOutOfShortKernels) {
  fake().launch_gap_ms = 0.005;
  EXPECT_NEAR(run_twice().value(), 1e3, 1.0);
  fake().holds = false;
  EXPECT_NEAR(run_twice().value(), 6e3, 1.0);  // without holding it contains the host's time
}

TEST_F(Cuda, LetsAStreamGoInWhichLaunchesWait) {
  fake().launches_wait = true;
  for (int i = 0; i < 5; ++i) run_twice();
  fake().launches_wait = false;
  fake().launch_gap_ms = 0.005;
  EXPECT_NEAR(run_twice().value(), 6e3, 1.0);  // held no more
}

// The first launch comes behind a launch that is held. A stream that had to be let go three times would be held no
// more.
TEST_F(Cuda, DoesNotHoldAFirstLaunch) {
  fake().first_launches_wait = true;
  const auto known = build("noop").value();
  const auto known_program = std::move(program);
  stream->launch(*known, {}, {}).value();
  for (int i = 0; i < 4; ++i) {
    const auto unknown = build("noop").value();
    stream->launch(*known, {}, {}).value();
    stream->launch(*unknown, {}, {}).value();
    stream->finish(kLimit).value();
  }
  fake().launch_gap_ms = 0.005;
  EXPECT_NEAR(run_twice().value(), 1e3, 1.0);
}

TEST_F(Cuda, HoldsLongRowsOfLaunchesPartByPart) {
  const auto kernel = build("noop").value();
  stream->launch(*kernel, {}, {}).value();
  stream->finish(kLimit).value();
  fake().launch_gap_ms = 0.005;
  std::vector<std::unique_ptr<Event>> events(1000);
  for (auto& event : events) event = stream->launch(*kernel, {}, {}).value();
  stream->finish(kLimit).value();
  for (const auto& event : events) ASSERT_NEAR(event->duration().value().value(), 1e3, 1.0);
}

TEST_F(Cuda, SendsAPreparedLaunchAtOnceAndAgain) {
  const auto x = buffer_with<float>(*device, *stream, iota(4));
  const auto kernel = build("scale").value();
  const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f), scalar(4)};
  const auto launch = stream->prepare(*kernel, {}, arguments).value();
  const long launches = fake().launches;
  const long live = fake().live();
  for (int i = 0; i < 3; ++i) launch->send().value();
  EXPECT_EQ(fake().launches, launches + 3);  // before any finish()
  EXPECT_EQ(fake().live(), live);            // no events
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(0, 8, 16, 24));
}

TEST_F(Cuda, APreparedLaunchKeepsItsPlaceBehindWhatIsHeldBack) {
  const auto x = buffer_with<float>(*device, *stream, {1, 1});
  const auto weights = buffer_with<float>(*device, *stream, {1, 1, 1, 1});
  const auto kernel = build("weigh").value();
  const std::vector<LaunchArgument> arguments{x.get(), ConstantBuffer{"weights", weights.get()}, scalar(2)};
  const auto launch = stream->prepare(*kernel, {}, arguments).value();
  const std::vector<float> later{5, 6, 7, 8};
  stream->write(*weights, std::as_bytes(std::span(later))).value();
  launch->send().value();
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(5, 6));
}

TEST_F(Cuda, APreparedLaunchFailsAsOthersDo) {
  const auto kernel = build("scale").value();
  EXPECT_EQ(stream->prepare(*kernel, {}, {}).error().code(), ErrorCode::mismatch);
  const auto refused = build("too_large").value();
  EXPECT_EQ(stream->prepare(*refused, {}, {}).value()->send().error().code(), ErrorCode::launch_failed);
  const auto illegal = build("illegal").value();
  const auto launch = stream->prepare(*illegal, {}, {}).value();
  launch->send().value();
  EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(launch->send().error().code(), ErrorCode::device_lost);
}

TEST_F(Cuda, TellsWhatAKernelTakes) {
  const auto kernel = build("scale").value();
  EXPECT_EQ(kernel->argument_count(), 3u);
  EXPECT_EQ(kernel->max_work_group_size(), 1024u);
  const KernelResources resources = kernel->resources(128, 1000).value();
  EXPECT_EQ(resources.registers, 32u);
  EXPECT_EQ(resources.private_bytes, 16u);
  EXPECT_EQ(resources.spill_bytes, 8u);  // from the compiler; all others are from the driver
  EXPECT_EQ(resources.static_local_bytes, 256u);
  EXPECT_EQ(resources.dynamic_local_bytes, 1000u);
  EXPECT_GT(resources.binary_bytes, 0u);
  EXPECT_EQ(program->build_log(), "");
  EXPECT_EQ(resources.occupancy, 0.5);                                         // 8 blocks of 128 of 2048 threads
  EXPECT_EQ(kernel->resources(128, 300'000).value().occupancy, std::nullopt);  // not possible at all
}

TEST_F(Cuda, ReportsCompileErrorsWithUserLineNumbers) {
  const std::vector<Macro> macros{{"A", "1"}, {"B", "2"}};
  const auto built = device->build(cuda_source("\n#error nonsense\n"), macros, kLimit);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::compile_failed);
  EXPECT_EQ(built.error().message(), "kernel.cu(2): error: nonsense");
}

TEST_F(Cuda, KeepsTheBuildLogOfASuccess) {
  build("noop", "#warning look here\n__global__ void noop() {}").value();
  EXPECT_THAT(program->build_log(), HasSubstr("look here"));
}

TEST_F(Cuda, PassesOptionsOn) {
  KernelSource source = cuda_source(kKernels);
  source.options = {"--bad-option"};
  const auto built = device->build(source, {}, kLimit);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(built.error().message(), HasSubstr("--bad-option"));
  EXPECT_THAT(built.error().advice(), HasSubstr("compiler = \"nvcc\""));
}

TEST_F(Cuda, FindsKernelsBySymbolByNameAndByInstance) {
  EXPECT_TRUE(build("scale"));  // extern "C"
  EXPECT_TRUE(build("noop"));   // a C++ name
  EXPECT_TRUE(build("_Z4noopv"));
  const std::string text = "template <int N, typename T>\n__global__ void noop(T* x) {}";
  const auto instance = build("noop<BLOCK, float>", text, {{"BLOCK", "32"}});
  ASSERT_TRUE(instance) << instance.error().to_string();
  EXPECT_EQ((*instance)->name(), "noop<BLOCK, float>");
}

TEST_F(Cuda, MakesTheInstancesOfAllFunctionsThatAreLaunched) {
  KernelSource source = cuda_source("template <int N>\n__global__ void noop(float* x) {}");
  source.function = "noop<1>";
  source.other_functions = {"noop<BLOCK>", "noop<32>"};
  const std::vector<Macro> macros{{"BLOCK", "32"}};
  const auto built = device->build(source, macros, kLimit);
  ASSERT_TRUE(built) << built.error().to_string();
  for (const std::string name : {"noop<1>", "noop<BLOCK>", "noop<32>"})
    EXPECT_EQ((*built)->kernel(name).value()->argument_count(), 1u) << name;
  EXPECT_EQ((*built)->kernel("noop<2>").error().code(), ErrorCode::not_found);
}

TEST_F(Cuda, ListsTheKernelsThatExist) {
  const auto kernel = build("missing", "extern \"C\" __global__ void one() {}\n__global__ void other(int n) {}");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code(), ErrorCode::not_found);
  EXPECT_THAT(kernel.error().to_string(), HasSubstr("one of: one, other"));
  EXPECT_THAT(build("scal").error().to_string(), HasSubstr("did you mean `scale`?"));
  EXPECT_THAT(build("g", "template <int N>\n__global__ void g() {}\n__global__ void p() {}").error().to_string(),
              HasSubstr("an instance of a template is named with its arguments: `g<...>`"));
}

TEST_F(Cuda, LoadsPtxAndSaysWhatTheDriverSaid) {
  const auto kernel = build("noop", ".version 8.0\nkernel noop noop\n").value();
  EXPECT_EQ(kernel->resources(128, 0).value().spill_bytes, std::nullopt);
  EXPECT_EQ(program->build_log(), "compiled by the driver");
  const auto broken = build("noop", ".version 8.0\nBROKEN\n");
  EXPECT_EQ(broken.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(broken.error().message(), HasSubstr("Ptx assembly aborted"));
  const auto newer = build("noop", ".version 99.0\nFROM THE FUTURE\n");
  EXPECT_EQ(newer.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(newer.error().to_string(), HasSubstr("install a newer driver"));
}

TEST_F(Cuda, GivesLocalArgumentsAsDynamicSharedMemory) {
  ASSERT_TRUE(run("noop", {LocalBytes{1000}, LocalBytes{24}}));
  EXPECT_EQ(fake().dynamic_bytes, 1024u);
  // The kernel declares 256 bytes, and together they exceed 48 KiB: the stand-in refuses what was not allowed.
  ASSERT_TRUE(run("noop", {LocalBytes{100'000}}));
  EXPECT_EQ(fake().dynamic_bytes, 100'000u);
  const auto too_much = run("noop", {LocalBytes{232'448}});
  EXPECT_EQ(too_much.error().code(), ErrorCode::launch_failed);
  EXPECT_THAT(too_much.error().message(), HasSubstr("232704 bytes of shared memory"));
}

TEST_F(Cuda, LaunchesClustersAndCooperatively) {
  ASSERT_TRUE(run("noop", {}, {.groups = {4, 2, 1}, .group_size = {1, 1, 1}, .cluster = {2, 2, 1}}));
  EXPECT_THAT(fake().cluster, ElementsAre(2u, 2u, 1u));
  EXPECT_FALSE(fake().cooperative);
  ASSERT_TRUE(run("noop", {}, {.cooperative = true}));
  EXPECT_TRUE(fake().cooperative);
  EXPECT_EQ(run("noop", {}, {.groups = {3, 1, 1}, .cluster = {2, 1, 1}}).error().code(), ErrorCode::launch_failed);
}

TEST_F(Cuda, CopiesConstantSymbolsBeforeTheLaunch) {
  const auto x = buffer_with<float>(*device, *stream, std::vector<float>(4));
  const auto weights = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
  ASSERT_TRUE(run("weigh", {x.get(), ConstantBuffer{"weights", weights.get()}, scalar(4)}));
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(run("weigh", {x.get(), ConstantBuffer{"heights", weights.get()}, scalar(4)}).error().code(),
            ErrorCode::not_found);
  const auto large = buffer_with<float>(*device, *stream, iota(5));
  EXPECT_EQ(run("weigh", {x.get(), ConstantBuffer{"weights", large.get()}, scalar(4)}).error().code(),
            ErrorCode::mismatch);
}

TEST_F(Cuda, RefusesArgumentsThatDoNotFitTheKernel) {
  const auto x = device->create_buffer(4).value();
  EXPECT_EQ(run("scale", {x.get()}).error().code(), ErrorCode::mismatch);
  const auto size = run("scale", {x.get(), scalar(1.0), scalar(1)});
  EXPECT_EQ(size.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(size.error().message(),
              HasSubstr("argument 2 of kernel `scale` is declared `float factor`, 8 bytes given"));
  const auto kind = run("scale", {x.get(), scalar(1.0f), x.get()});
  EXPECT_THAT(kind.error().message(), HasSubstr("argument 3 of kernel `scale` is declared `int n`, a buffer given"));
}

TEST_F(Cuda, RefusesImpossibleLaunchesWithTheReason) {
  EXPECT_THAT(run("noop", {}, {.group_size = {2048, 1, 1}}).error().message(), HasSubstr("2048x1x1"));
  EXPECT_THAT(run("noop", {}, {.groups = {1, 70'000, 1}}).error().message(), HasSubstr("a grid of 70000 blocks in y"));
  const auto refused = run("too_large");
  EXPECT_EQ(refused.error().code(), ErrorCode::launch_failed);
  EXPECT_EQ(refused.error().native_code(), 701);
  EXPECT_TRUE(run("noop"));  // none of this harmed the device
}

TEST_F(Cuda, FindsWritesOutOfBoundsOnBothSides) {
  const auto buffer = device->create_buffer(1001).value();
  ASSERT_TRUE(run("overrun", {buffer.get(), scalar(1001)}));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(1u, 3u));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(0u, 0u));  // renewed
}

TEST_F(Cuda, CopiesFillsAndTakesEmptyBuffers) {
  const auto from = buffer_with<float>(*device, *stream, iota(5));
  const auto to = device->create_buffer(from->bytes()).value();
  stream->copy(*from, *to).value();
  stream->fill(*from, std::byte{0}).value();
  EXPECT_EQ(contents_of<float>(*to, *stream), iota(5));
  EXPECT_EQ(contents_of<float>(*from, *stream), std::vector<float>(5));
  EXPECT_THAT(stream->check_guards(*from, kLimit).value(), ElementsAre(0u, 0u));
  const auto empty = device->create_buffer(0).value();
  stream->fill(*empty, std::byte{1}).value();
  stream->write(*empty, {}).value();
  EXPECT_THAT(stream->check_guards(*empty, kLimit).value(), ElementsAre(0u, 0u));
}

TEST_F(Cuda, SaysWhenMemoryRunsOut) {
  const auto half = device->create_buffer(40 << 20).value();
  const auto second = device->create_buffer(40 << 20);
  EXPECT_EQ(second.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(second.error().message(), HasSubstr("of 67108864 are free"));
  EXPECT_EQ(device->create_buffer(std::size_t{1} << 40).error().code(), ErrorCode::invalid_argument);
}

TEST_F(Cuda, LosesTheDeviceToAnIllegalAddressUntilReset) {
  const auto old = device->create_buffer(4).value();  // outlives the context
  const auto result = run("illegal");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(result.error().native_name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(result.error().message(), "running kernel `illegal` failed: an illegal memory access was encountered");
  expect_working_after_reset();
}

TEST_F(Cuda, LosesTheDeviceToMisalignedAddressesAndAssertions) {
  EXPECT_EQ(run("misaligned").error().native_name(), "CUDA_ERROR_MISALIGNED_ADDRESS");
  expect_working_after_reset();
  EXPECT_EQ(run("failed_assertion").error().code(), ErrorCode::device_lost);
  expect_working_after_reset();
}

TEST_F(Cuda, SaysWhenOnlyANewProcessHelps) {
  ASSERT_FALSE(run("failed_assertion"));
  fake().context_result = 710;
  const auto reset = device->reset();
  const auto opened = open_cuda_in_primary_context("cuda:0");
  fake().context_result = 0;
  for (const Error& error : {reset.error(), opened.error()}) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_THAT(error.to_string(), HasSubstr("a new process"));
  }
}

TEST_F(Cuda, AbandonsAKernelThatNeverEnds) {
  abandoned = true;
  const auto buffer = device->create_buffer(4).value();
  std::vector<std::byte> host(4);
  const auto kernel = build("hang").value();
  const auto event = stream->launch(*kernel, {}, {}).value();
  stream->read(*buffer, host).value();  // must not wait without a limit for the kernel
  EXPECT_EQ(stream->finish(nanoseconds_from_ms(5)).error().code(), ErrorCode::timeout);
  EXPECT_EQ(event->duration().error().code(), ErrorCode::device_lost);
  expect_working_after_reset();
}

TEST_F(Cuda, SaysWhetherAKernelOrSomethingElseTookTooLong) {
  abandoned = true;
  EXPECT_EQ(run("hang", {}, {}, nanoseconds_from_ms(5)).error().message(), "the kernel ran longer than 5 ms");
  device->reset().value();
  stream = device->create_stream().value();
  const auto kernel = build("hang").value();
  stream->prepare(*kernel, {}, {}).value()->send().value();
  EXPECT_EQ(stream->finish(nanoseconds_from_ms(5)).error().message(), "the device was at work longer than 5 ms");
}

TEST_F(Cuda, MakesOldObjectsUselessAtReset) {
  const auto buffer = device->create_buffer(4).value();
  build("noop").value();
  device->reset().value();
  EXPECT_EQ(stream->fill(*buffer, std::byte{0}).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(program->kernel("noop").error().code(), ErrorCode::device_lost);
}

// WATTUNE_LEAK_CONFIGURATIONS may ask for more than 2,000 configurations, which suffice to see a leak.
TEST_F(Cuda, LeavesNothingBehindAfterThousandsOfConfigurations) {
  const char* const asked = std::getenv("WATTUNE_LEAK_CONFIGURATIONS");
  const long configurations = asked != nullptr ? std::atol(asked) : 2000;
  ASSERT_TRUE(run("noop"));  // the device's clock begins
  program.reset();
  const long live = fake().live();
  const long made = fake().made;
  for (long i = 0; i < configurations; ++i) {
    const auto x = device->create_buffer(64).value();
    const auto kernel = build("scale", kKernels, {{"N", std::to_string(i)}}).value();
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f), scalar(16)};
    const auto event = stream->launch(*kernel, {}, arguments).value();
    stream->finish(kLimit).value();
    ASSERT_LE(fake().live(), live + 5);  // buffer, module, two events, and one of the clock, which is renewed at times
  }
  program.reset();
  EXPECT_LE(fake().live(), live + 1);
  EXPECT_LE(fake().made, made + 5 * configurations);
}

}  // namespace
}  // namespace wattune::backend
