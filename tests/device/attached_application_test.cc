// An application with a CUDA context, streams, memory and a kernel of its own. Wattune's kernels run between its own,
// on a real GPU if there is one, else on the stand-in for the driver. Also run under compute-sanitizer
// (tools/run-on-device).
#include <thread>

#include "backend/support.h"
#include "programs.h"
#include "raw_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using test::Application;
using test::current_context;
using test::raw_cuda;
using test::succeed;
using ::testing::ElementsAre;

constexpr char kScale[] = R"(
extern "C" __global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
)";
constexpr std::size_t kElements = 10'000;
constexpr int kTurns = 10;
const Geometry3 kGeometry{.groups = {(kElements + 255) / 256, 1, 1}, .group_size = {256, 1, 1}};

// The choice is made before anything loads a driver.
const bool kHasDriver = [] {
  if (std::getenv("WATTUNE_LIBCUDA") != nullptr || dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr)
    return true;
  const auto stand_in = [](const std::string& name) {
    return test::program("wattune-fake-lib" + name + ".so").string();
  };
  setenv("WATTUNE_LIBCUDA", stand_in("cuda").c_str(), 1);
  setenv("WATTUNE_LIBNVRTC", stand_in("nvrtc").c_str(), 1);
  setenv("WATTUNE_LIBNVML", stand_in("nvml").c_str(), 1);
  return std::filesystem::exists(stand_in("cuda"));
}();

KernelSource scale_source() {
  KernelSource source = source_of(kScale);
  source.language = Language::cuda;
  source.function = "scale";
  return source;
}

// Returns small integers, because floats represent all results exactly: x becomes (x + 1) * 2, kTurns times.
std::vector<float> inputs() {
  std::vector<float> values(kElements);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  return values;
}
std::vector<float> results() {
  std::vector<float> values = inputs();
  for (float& value : values)
    for (int turn = 0; turn < kTurns; ++turn) value = (value + 1.0f) * 2.0f;
  return values;
}

// Tests with the parameter whether the context is the primary one, which the runtime API uses.
class AttachedApplication : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!kHasDriver || !cuda::cu_api()) GTEST_SKIP() << "neither a driver nor the stand-in for it";
    if (GetParam()) {
      succeed(cu().cuDevicePrimaryCtxRetain(&context, 0));
      succeed(cu().cuCtxSetCurrent(context));
    } else {
      succeed(cu().cuCtxCreate(&context, 0, 0));
    }
  }
  void TearDown() override {
    if (context == nullptr) return;
    EXPECT_EQ(current_context(), context);
    if (GetParam()) {
      succeed(cu().cuCtxSetCurrent(nullptr));
      succeed(cu().cuDevicePrimaryCtxRelease(0));
    } else {
      succeed(cu().cuCtxDestroy(context));
    }
  }

  static const test::RawCuda& cu() { return raw_cuda(); }

  static std::size_t free_memory() {
    std::size_t free = 0;
    std::size_t total = 0;
    succeed(cu().cuMemGetInfo(&free, &total));
    return free;
  }

  // Does all of Wattune's part, from attaching to letting go.
  static void take_turns(Application& application, CUstream_st* native) {
    const auto device = attach_cuda().value();
    EXPECT_EQ(device->info().backend, "cuda");
    const auto program = device->build(scale_source(), {}, kLimit).value();
    const auto kernel = program->kernel("scale").value();
    const auto stream = adopt_stream(*device, native).value();
    const auto x = adopt_buffer(*device, application.x(), application.bytes()).value();
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f), scalar(static_cast<int>(kElements))};
    const auto launch = stream->prepare(*kernel, kGeometry, arguments).value();
    std::unique_ptr<Event> event;
    for (int turn = 0; turn < kTurns; ++turn) {
      application.raise(1.0f, native);
      if (turn % 2 == 0) {
        launch->send().value();
      } else {
        event = stream->launch(*kernel, kGeometry, arguments).value();
      }
    }
    stream->finish(kLimit).value();
    EXPECT_GT(event->duration().value().value(), 0.0);
    look_at_copies(*device, *stream, *x);
    EXPECT_EQ(device->reset().error().code(), ErrorCode::invalid_argument);
  }

  // Uses a buffer and a stream of the device beside the application's.
  static void look_at_copies(Device& device, Stream& adopted, const Buffer& x) {
    const auto own = device.create_stream().value();
    const auto copy = device.create_buffer(x.bytes()).value();
    adopted.copy(x, *copy).value();
    adopted.finish(kLimit).value();
    EXPECT_EQ(contents_of<float>(*copy, *own), results());
    EXPECT_EQ(contents_of<float>(x, adopted), results());
    EXPECT_THAT(own->check_guards(*copy, kLimit).value(), ElementsAre(0u, 0u));
  }

  void expect_turns_are_right(CUstream_st* native, unsigned flags) {
    Application application(inputs(), flags);
    if (native == nullptr) native = application.stream();
    take_turns(application, native);
    EXPECT_EQ(current_context(), context);
    EXPECT_EQ(application.values(native), results());
    application.raise(1.0f, native);  // context and stream live on
    EXPECT_EQ(application.values(native).front(), results().front() + 1.0f);
  }

  CUctx_st* context = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Contexts, AttachedApplication, ::testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "primary" : "own"; });

TEST_P(AttachedApplication, RunsItsKernelsBetweenOurs) { expect_turns_are_right(nullptr, 0); }

TEST_P(AttachedApplication, HasStreamsThatWaitForNoOther) { expect_turns_are_right(nullptr, 1); }

// The handles are CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
TEST_P(AttachedApplication, HasDefaultStreams) {
  for (const std::uintptr_t handle : {1, 2}) expect_turns_are_right(reinterpret_cast<CUstream_st*>(handle), 0);
}

// The first turns allocate memory that the driver keeps. The driver allocates in pieces of 2 MiB; if the buffers of all
// rounds were not freed, they would take 4 MiB and more.
TEST_P(AttachedApplication, GetsAllItsMemoryBack) {
  expect_turns_are_right(nullptr, 0);
  const std::size_t before = free_memory();
  for (int round = 0; round < 60; ++round) expect_turns_are_right(nullptr, 0);
  EXPECT_GE(free_memory() + (std::size_t{2} << 20), before);
}

// Each thread has a stream and memory of its own; all share device and kernel.
TEST_P(AttachedApplication, HasThreads) {
  const auto device = attach_cuda(context).value();
  const auto program = device->build(scale_source(), {}, kLimit).value();
  const auto kernel = program->kernel("scale").value();
  const auto work = [&] {
    const auto stream = device->create_stream().value();
    const auto x = buffer_with<float>(*device, *stream, inputs());
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f), scalar(static_cast<int>(kElements))};
    const auto launch = stream->prepare(*kernel, kGeometry, arguments).value();
    for (int turn = 0; turn < kTurns; ++turn) launch->send().value();
    std::vector<float> expected = inputs();
    for (float& value : expected) value *= 1024.0f;
    EXPECT_EQ(contents_of<float>(*x, *stream), expected);
    const auto event = stream->launch(*kernel, kGeometry, arguments).value();
    stream->finish(kLimit).value();
    EXPECT_GT(event->end().value(), event->start().value());
    EXPECT_EQ(current_context(), nullptr);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace wattune::backend
