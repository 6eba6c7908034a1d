// The guarantees of streams, on OpenCL's device and the host, in this process and in a worker.
#include "backend/support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;

struct Place {
  const char* backend;
  bool in_worker;
};

constexpr char kOpenClKernels[] = R"(
kernel void scale(global float* y, float factor) { y[get_global_id(0)] *= factor; }
kernel void loop(volatile global float* y, float unused) { while (y[0] >= 0.0f) {} }
)";
constexpr char kHostKernels[] = R"(
void scale(float* y, float factor) { y[0] *= factor; y[1] *= factor; }
void loop(volatile float* y, float unused) { while (y[0] >= 0.0f) {} }
)";

class Streams : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (is_opencl()) SKIP_WITHOUT_OPENCL();
    device = open();
    program = device->build(is_opencl() ? source_of(kOpenClKernels) : host_source(), {}, kLimit).value();
    for (auto* stream : {&first, &second}) *stream = device->create_stream().value();
    y = buffer_with<float>(*device, *first, {1, 2});
  }

  bool is_opencl() const { return GetParam().backend == std::string("opencl"); }
  std::unique_ptr<Device> open() const {
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    options.memory_limit_bytes = std::nullopt;  // PoCL's device has no more memory than the process may take
    const std::string selector = is_opencl() ? *opencl_selector() : "host:0";
    return (GetParam().in_worker ? open_device_in_worker(selector, options) : open_device(selector)).value();
  }
  static KernelSource host_source() {
    KernelSource source = source_of(kHostKernels);
    source.language = Language::cpp;
    source.function = "scale";
    for (const char* name : {"scale", "loop"})
      source.calls.push_back({name, {{"y", name == source.function ? "float*" : "volatile float*"}, {"x", "float"}}});
    return source;
  }

  std::unique_ptr<Event> launch(Stream& stream, const std::string& name, float argument) {
    kernels.push_back(program->kernel(name).value());
    const std::vector<LaunchArgument> arguments{y.get(), scalar(argument)};
    const std::size_t width = is_opencl() ? 2 : 1;
    stream.allow_compiling(kLimit);
    return stream.launch(*kernels.back(), {.group_size = {width, 1, 1}}, arguments).value();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::unique_ptr<Stream> first;
  std::unique_ptr<Stream> second;
  std::unique_ptr<Buffer> y;
};

TEST_P(Streams, SubmitWithoutWaiting) {
  std::vector<float> found(2);
  const auto event = launch(*first, "scale", 3.0f);
  first->read(*y, std::as_writable_bytes(std::span(found))).value();
  first->submit().value();
  ASSERT_TRUE(test::wait_until([&] { return event->ready().value(); }));
  EXPECT_GE(event->end().value() - event->start().value(), Nanoseconds());
  first->finish(kLimit).value();
  EXPECT_TRUE(event->ready().value());
  EXPECT_THAT(found, ElementsAre(3.0f, 6.0f));
}

TEST_P(Streams, AnEventThatNobodyHandedOverIsNotReady) {
  if (is_opencl() && !GetParam().in_worker) GTEST_SKIP() << "OpenCL's queues may begin before they are flushed";
  const auto event = launch(*first, "scale", 3.0f);
  EXPECT_FALSE(event->ready().value());
  EXPECT_EQ(event->start().error().code(), ErrorCode::invalid_argument);
  first->finish(kLimit).value();
  EXPECT_TRUE(event->ready().value());
}

// Each stream waits for the last launch of the other.
TEST_P(Streams, WaitForEachOther) {
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 4; ++i) {
    Stream& stream = i % 2 == 0 ? *first : *second;
    if (i > 0) stream.wait_for(*events.back()).value();
    events.push_back(launch(stream, "scale", i % 2 == 0 ? 3.0f : 2.0f));
  }
  const auto finished = device->finish(std::array{first.get(), second.get()}, {.limit = kLimit});
  ASSERT_TRUE(finished) << finished.error().to_string();
  for (int i = 1; i < 4; ++i) EXPECT_GE(events[i]->start().value(), events[i - 1]->end().value()) << i;
  EXPECT_THAT(contents_of<float>(*y, *first), ElementsAre(36.0f, 72.0f));
}

TEST_P(Streams, HandOverWhatTheyWaitFor) {
  const auto awaited = launch(*first, "scale", 3.0f);
  second->wait_for(*awaited).value();
  std::vector<float> found(2);
  second->read(*y, std::as_writable_bytes(std::span(found))).value();
  second->allow_compiling(kLimit);  // for the launch that it waits for
  second->finish(kLimit).value();
  EXPECT_THAT(found, ElementsAre(3.0f, 6.0f));
  EXPECT_TRUE(awaited->ready().value());
  first->finish(kLimit).value();
}

TEST_P(Streams, RefuseWhatAnotherDeviceMade) {
  const auto other = open();
  const auto stream = other->create_stream().value();
  const auto event = launch(*first, "scale", 3.0f);
  const auto refused = stream->wait_for(*event);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  const auto finished = device->finish(std::array{first.get(), stream.get()}, {.limit = kLimit});
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code(), ErrorCode::invalid_argument);
  first->finish(kLimit).value();
}

TEST_P(Streams, AKernelThatHangsAfterASubmitEndsAsATimeout) {
  if (!GetParam().in_worker) GTEST_SKIP() << "nothing ends it in this process";
  const auto event = launch(*first, "loop", 0.0f);
  first->submit().value();
  EXPECT_FALSE(event->ready().value());
  EXPECT_EQ(first->finish(nanoseconds_from_ms(100)).error().code(), ErrorCode::timeout);
  EXPECT_FALSE(event->ready());
  device->reset().value();
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Streams,
                         ::testing::Values(Place{"opencl", false}, Place{"opencl", true}, Place{"host", false},
                                           Place{"host", true}),
                         [](const auto& test) {
                           return std::string(test.param.backend) + (test.param.in_worker ? "_worker" : "");
                         });

}  // namespace
}  // namespace wattune::backend
