// Several CUDA streams, submitted and waiting for each other, against the stand-in for the driver.
#include <dlfcn.h>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"
#include "fakes/fake_device.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

fakes::FakeCuda& stand_in() {
  static void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW | RTLD_LOCAL);
  static auto* const get = reinterpret_cast<fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"));
  return *get();
}

// Tests with a device in this process or, by the parameter, in a worker.
class CudaStreams : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    device = GetParam() ? open_device_in_worker("cuda:0", options).value() : open_device("cuda:0").value();
    prepare();
  }
  void TearDown() override { EXPECT_EQ(stand_in().blocked_transfers, 0) << "a transfer waited without a limit"; }

  void prepare() {
    program = device->build(cuda_source(kKernels), {}, kLimit).value();
    for (auto* stream : {&first, &second}) *stream = device->create_stream().value();
    x = buffer_with<float>(*device, *first, {1, 2});
    for (const char* name : {"noop", "scale"}) {  // a kernel's first launch is not held
      launch(*first, name, arguments_of(name)).value();
      first->finish(kLimit).value();
    }
    x = buffer_with<float>(*device, *first, {1, 2});
  }

  std::vector<LaunchArgument> arguments_of(const std::string& name) const {
    if (name != "scale") return {};
    return {x.get(), scalar(3.0f), scalar(2)};
  }
  Result<std::unique_ptr<Event>> launch(Stream& stream, const std::string& name,
                                        const std::vector<LaunchArgument>& arguments = {}, std::size_t threads = 1) {
    auto& kernel = kernels[name];
    if (!kernel) kernel = program->kernel(name).value();
    return stream.launch(*kernel, {.group_size = {threads, 1, 1}}, arguments);
  }
  // Runs a kernel for this time: the stand-in takes a microsecond for each thread of a block.
  std::unique_ptr<Event> run_for(Stream& stream, std::size_t microseconds) {
    return launch(stream, "noop", {}, microseconds).value();
  }
  std::unique_ptr<Event> scale(Stream& stream) { return launch(stream, "scale", arguments_of("scale")).value(); }
  Result<std::vector<SensorSample>> finish_both(const Wait& wait = {.limit = kLimit}) {
    return device->finish(std::array{first.get(), second.get()}, wait);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::unique_ptr<Buffer> x;
  std::unique_ptr<Stream> first;
  std::unique_ptr<Stream> second;
};

// Equal up to the resolution of a float at a quarter of a second.

MATCHER_P(IsAbout, expected, "") { return std::abs(arg.value() - expected.value()) < 20.0; }
MATCHER_P(IsNotBefore, expected, "") { return arg.value() > expected.value() - 20.0; }

TEST_P(CudaStreams, OverlapOnOneClock) {
  const auto one = run_for(*first, 300);
  const auto other = run_for(*second, 500);
  ASSERT_TRUE(finish_both());
  EXPECT_THAT(one->end().value() - one->start().value(), IsAbout(one->duration().value()));
  EXPECT_THAT(other->start().value(), IsAbout(one->start().value()));
  EXPECT_THAT(other->end().value() - one->end().value(), IsAbout(Nanoseconds(200e3)));
}

TEST_P(CudaStreams, WaitForAnEventOfAnotherStream) {
  const auto before = run_for(*second, 100);
  const auto awaited = run_for(*first, 300);
  second->wait_for(*awaited).value();
  const auto after = run_for(*second, 500);
  ASSERT_TRUE(finish_both());
  EXPECT_THAT(before->start().value(), IsAbout(awaited->start().value()));
  EXPECT_THAT(after->start().value(), IsAbout(awaited->end().value()));
}

// The awaited launch is behind a transfer, which waits for its turn.
TEST_P(CudaStreams, KeepTheOrderAcrossTransfers) {
  std::vector<float> found(2);
  const auto earlier = run_for(*first, 100);
  first->read(*x, std::as_writable_bytes(std::span(found))).value();
  const auto scaled = scale(*first);
  second->wait_for(*scaled).value();
  std::vector<float> later(2);
  second->read(*x, std::as_writable_bytes(std::span(later))).value();
  const auto last = run_for(*second, 100);
  second->finish(kLimit).value();
  EXPECT_THAT(later, ElementsAre(3, 6));
  first->finish(kLimit).value();
  EXPECT_THAT(found, ElementsAre(1, 2));
  EXPECT_THAT(scaled->start().value(), IsNotBefore(earlier->end().value()));
  EXPECT_THAT(last->start().value(), IsNotBefore(scaled->end().value()));
}

TEST_P(CudaStreams, SubmitWithoutWaiting) {
  const auto one = run_for(*first, 300);
  EXPECT_FALSE(one->ready().value());
  first->submit().value();
  EXPECT_FALSE(one->ready().value());
  EXPECT_TRUE(one->ready().value());
  EXPECT_THAT(one->duration().value(), IsAbout(Nanoseconds(300e3)));
  EXPECT_TRUE(first->finish(kLimit));
}

TEST_P(CudaStreams, AskingHandsOverWhatSubmitLeft) {
  std::vector<float> found(2);
  const auto one = run_for(*first, 300);
  first->read(*x, std::as_writable_bytes(std::span(found))).value();
  const auto behind = run_for(*first, 100);
  first->submit().value();
  ASSERT_TRUE(test::wait_until([&] { return behind->ready().value(); }));
  EXPECT_THAT(behind->start().value(), IsNotBefore(one->end().value()));
  first->finish(kLimit).value();
  EXPECT_THAT(found, ElementsAre(1, 2));
}

TEST_P(CudaStreams, AKernelThatHangsAfterASubmitEndsAsATimeout) {
  std::vector<float> found(2);
  const auto hanging = launch(*first, "hang").value();
  first->read(*x, std::as_writable_bytes(std::span(found))).value();
  first->submit().value();
  EXPECT_FALSE(hanging->ready().value());
  second->wait_for(*hanging).value();
  const auto after = run_for(*second, 1);
  EXPECT_EQ(second->finish(nanoseconds_from_ms(5)).error().code(), ErrorCode::timeout);
  EXPECT_EQ(first->finish(kLimit).error().code(), ErrorCode::device_lost);
  device->reset().value();
}

TEST_P(CudaStreams, ErrorsAreFoundAtSubmit) {
  const auto good = run_for(*first, 300);
  const auto refused = launch(*first, "too_large").value();
  const auto dropped = run_for(*first, 300);
  second->wait_for(*dropped).value();
  EXPECT_EQ(first->submit().error().code(), ErrorCode::launch_failed);
  EXPECT_EQ(dropped->ready().error().code(), ErrorCode::launch_failed);
  EXPECT_FALSE(second->finish(kLimit));  // it waits for a launch that will never run
  const auto next = run_for(*first, 300);
  EXPECT_TRUE(first->finish(kLimit));  // the stream goes on
  EXPECT_TRUE(next->ready().value());
}

TEST_P(CudaStreams, TellThatALaunchBrokeTheDevice) {
  const auto illegal = launch(*first, "illegal").value();
  first->submit().value();
  EXPECT_EQ(illegal->ready().error().code(), ErrorCode::device_lost);
  device->reset().value();
}

TEST_P(CudaStreams, RefuseWhatAnotherDeviceMade) {
  fakes::FakeDevice other;
  other.add_kernel("noop", 0, [](const fakes::FakeLaunch&) { return Nanoseconds(1); });
  const auto stream = other.create_stream().value();
  const auto made = other.build(source_of("noop"), {}, kLimit).value();
  const auto kernel = made->kernel("noop").value();
  const auto event = stream->launch(*kernel, {}, {}).value();
  EXPECT_EQ(first->wait_for(*event).error().code(), ErrorCode::invalid_argument);
  const auto again = open_device("cuda:0").value();
  const auto same_kind = again->create_stream().value();
  EXPECT_EQ(device->finish(std::array{same_kind.get()}, {.limit = kLimit}).error().message(),
            "the stream was made by cuda:0 before its reset(), or where it was opened apart");
}

TEST_P(CudaStreams, CountOnlyWhatWaitsForNoOtherStream) {
  const auto awaited = run_for(*first, 300);
  second->wait_for(*awaited).value();
  const auto after = run_for(*second, 300);
  EXPECT_EQ(device->counters().value()->count(*second, {"dram__bytes_read.sum"}, kLimit).error().code(),
            ErrorCode::invalid_argument);
}

// Moments are reported while the device's clock is measured again and again.
TEST_P(CudaStreams, KeepOneClockForLong) {
  const auto early = run_for(*first, 300);
  first->finish(kLimit).value();
  usleep(300'000);
  const auto late = run_for(*second, 500);
  second->finish(kLimit).value();
  EXPECT_THAT(late->start().value(), IsNotBefore(early->end().value()));
  EXPECT_THAT(late->end().value() - late->start().value(), IsAbout(Nanoseconds(500e3)));
}

TEST_P(CudaStreams, SampleSensorsWhileKernelsRun) {
  const auto event = run_for(*first, 300);
  const auto samples = finish_both({.limit = kLimit, .sample_every = nanoseconds_from_ms(1)}).value();
  ASSERT_GE(samples.size(), 2u);  // at the beginning and at the end
  EXPECT_EQ(samples.front().readings.power, Watts(350.0));
  EXPECT_LE(samples.front().at, samples.back().at);
}

INSTANTIATE_TEST_SUITE_P(InThisProcess, CudaStreams, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(InAWorker, CudaStreams, ::testing::Values(true));

}  // namespace
}  // namespace wattune::backend
