// The real worker with a real OpenCL driver, and kernels that would end this process.
#include "backend/support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kWorkerKernels[] = R"(
kernel void scale(global float* y, float factor) { y[get_global_id(0)] *= factor; }
kernel void wild(global float* y, ulong address) { *(global float*)address = 1.0f; }
kernel void loop(volatile global float* y, ulong unused) { while (y[0] >= 0.0f) {} }
kernel void overrun(global float* y, ulong n) { y[n] = 1.0f; }
)";

class WorkerOpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_OPENCL();
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    options.memory_limit_bytes = std::nullopt;  // PoCL's device has no more memory than the process may take
    device = open_device_in_worker(*opencl_selector(), options).value();
    prepare();
  }
  void TearDown() override {
    buffer.reset();
    stream.reset();
    device.reset();
    EXPECT_THAT(children(), IsEmpty());
  }

  void prepare() {
    stream = device->create_stream().value();
    buffer = buffer_with<float>(*device, *stream, iota(8));
  }

  Result<Nanoseconds> run(const std::string& name, LaunchArgument argument, Nanoseconds limit = kLimit) {
    return run_once(*device, *stream, kWorkerKernels, name, {.groups = {2, 1, 1}, .group_size = {4, 1, 1}},
                    {buffer.get(), std::move(argument)}, limit);
  }

  void expect_good_results() {
    const auto time = run("scale", scalar(2.0f));
    ASSERT_TRUE(time) << time.error().to_string();
    EXPECT_GT(time->value(), 0.0);
    std::vector<float> expected = iota(8);
    for (float& x : expected) x *= 2.0f;
    EXPECT_EQ(contents_of<float>(*buffer, *stream), expected);
  }

  void expect_recovery() {
    device->reset().value();
    prepare();
    expect_good_results();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Buffer> buffer;
};

TEST_F(WorkerOpenCl, ComputesAsInProcess) {
  EXPECT_EQ(device->info(), open_device(*opencl_selector()).value()->info());
  expect_good_results();
}

TEST_F(WorkerOpenCl, SurvivesAWildPointer) {
  const auto result = run("wild", scalar<std::uint64_t>(64));
  ASSERT_FALSE(result);
  if (device->info().kind == DeviceKind::cpu) {
    EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
    EXPECT_EQ(result.error().native_name(), "SIGSEGV");
    EXPECT_THAT(result.error().message(), StartsWith("worker killed by SIGSEGV"));
  } else {  // a GPU's memory does not belong to the process
    EXPECT_EQ(result.error().code(), ErrorCode::launch_failed);
  }
  expect_recovery();
}

TEST_F(WorkerOpenCl, EndsAnInfiniteLoopAtTheLimit) {
  const auto result = run("loop", scalar<std::uint64_t>(0), nanoseconds_from_ms(100));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::timeout);
  expect_recovery();
}

// The limit of the run counts alone, however long the driver may take to compile before.
TEST_F(WorkerOpenCl, EndsAnInfiniteLoopAtTheLimitOfARunAlone) {
  const auto program = device->build(source_of(kWorkerKernels), {}, kLimit).value();
  const auto kernel = program->kernel("loop").value();
  const std::vector<LaunchArgument> arguments{buffer.get(), scalar<std::uint64_t>(0)};
  ASSERT_TRUE(stream->launch(*kernel, {.groups = {2, 1, 1}, .group_size = {4, 1, 1}}, arguments));
  stream->allow_compiling(nanoseconds_from_seconds(24 * 3600));
  const auto result = stream->finish(nanoseconds_from_ms(100));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "the kernel ran longer than 100 ms");
}

TEST_F(WorkerOpenCl, SurvivesAKillFromOutside) {
  kill(children().at(0), SIGKILL);
  auto result = run("scale", scalar(1.0f));
  // The supervisor is killed, and the worker ends a moment later.
  ASSERT_TRUE(test::wait_until([&] { return !result || !(result = run("scale", scalar(1.0f))); }));
  EXPECT_EQ(result.error().native_name(), "SIGKILL");
  expect_recovery();
}

TEST_F(WorkerOpenCl, FindsWritesOutOfBounds) {
  ASSERT_TRUE(run("overrun", scalar<std::uint64_t>(8)));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ::testing::ElementsAre(0u, 4u));
  expect_good_results();
}

TEST_F(WorkerOpenCl, DiscoversWhatThisProcessDiscovers) {
  EXPECT_EQ(discover_in_worker({.memory_limit_bytes = std::nullopt}).value().devices, discover().devices);
}

}  // namespace
}  // namespace wattune::backend
