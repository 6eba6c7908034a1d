// Several streams of a worker: submitted, waiting for each other, in one request, on the fake device's clock.
#include "backend/support.h"
#include "fakes/fake_device.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Nanoseconds kMicrosecond{1000};

class WorkerStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    WorkerOptions options;
    options.executable = test::program("wattune-fake-worker");
    device = open_device_in_worker("fake:0", options).value();
    program = device->build(source_of("run_for scale forever abort"), {}, kLimit).value();
    for (auto* stream : {&first, &second}) *stream = device->create_stream().value();
  }

  Result<std::unique_ptr<Event>> launch(Stream& stream, const std::string& name,
                                        const std::vector<LaunchArgument>& arguments = {}) {
    kernels.push_back(program->kernel(name).value());
    return stream.launch(*kernels.back(), {}, arguments);
  }
  std::unique_ptr<Event> run_for(Stream& stream, Nanoseconds time) {
    return launch(stream, "run_for", {scalar(time.value())}).value();
  }
  Result<std::vector<SensorSample>> finish_both(const Wait& wait = {.limit = kLimit}) {
    return device->finish(std::array{first.get(), second.get()}, wait);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::unique_ptr<Stream> first;
  std::unique_ptr<Stream> second;
};

TEST_F(WorkerStreams, OverlapOnOneClock) {
  const auto one = run_for(*first, 3 * kMicrosecond);
  const auto other = run_for(*second, 5 * kMicrosecond);
  ASSERT_TRUE(finish_both());
  EXPECT_EQ(one->end().value() - one->start().value(), 3 * kMicrosecond);
  EXPECT_EQ(one->duration().value(), 3 * kMicrosecond);
  EXPECT_EQ(other->start().value(), one->start().value());
  EXPECT_EQ(other->end().value() - one->end().value(), 2 * kMicrosecond);
}

TEST_F(WorkerStreams, AGraphRunsAsOneCommandAndKeepsItsPlace) {
  const auto x = buffer_with<float>(*device, *first, {1, 1});
  const auto scale = program->kernel("scale").value();
  const auto run_for = program->kernel("run_for").value();
  const GraphNode nodes[] = {{scale.get(), {}, {x.get(), scalar(2.0f)}, 2},
                             {run_for.get(), {}, {scalar((3 * kMicrosecond).value())}}};
  const auto graph = first->prepare_graph(nodes, 2).value();
  ASSERT_TRUE(first->launch(*scale, {}, std::vector<LaunchArgument>{x.get(), scalar(3.0f)}));
  const auto event = graph->send_timed().value();
  ASSERT_TRUE(graph->send());
  EXPECT_FALSE(event->duration()) << "nothing has been finished";
  EXPECT_THAT(contents_of<float>(*x, *first), ElementsAre(3 * 256, 3 * 256));
  EXPECT_EQ(event->duration().value(), 10 * kMicrosecond);
  EXPECT_EQ(first->prepare_graph({}, 1).error().code(), ErrorCode::invalid_argument);
}

// The results are 3 * 2 = 6 and 1 * 2^10, because each send keeps its place between other commands.
TEST_F(WorkerStreams, APreparedLaunchRunsAsOftenAsItIsSentAndInItsPlace) {
  const auto ones = buffer_with<float>(*device, *first, {1, 1});
  const auto buffer = buffer_with<float>(*device, *first, {3, 3});
  const auto saved = device->create_buffer(buffer->bytes()).value();
  const auto kernel = program->kernel("scale").value();
  const std::vector<LaunchArgument> arguments{buffer.get(), scalar(2.0f)};
  const auto prepared = first->prepare(*kernel, {}, arguments).value();
  prepared->send().value();
  first->copy(*buffer, *saved).value();
  first->copy(*ones, *buffer).value();
  for (int i = 0; i < 10; ++i) prepared->send().value();
  EXPECT_THAT(contents_of<float>(*buffer, *first), ElementsAre(1024, 1024));
  EXPECT_THAT(contents_of<float>(*saved, *first), ElementsAre(6, 6));
}

TEST_F(WorkerStreams, TwoPreparedLaunchesInTurnsAreNotTakenForOne) {
  const auto buffer = buffer_with<float>(*device, *first, {1});
  const auto kernel = program->kernel("scale").value();
  const auto twice = first->prepare(*kernel, {}, std::vector<LaunchArgument>{buffer.get(), scalar(2.0f)}).value();
  const auto thrice = first->prepare(*kernel, {}, std::vector<LaunchArgument>{buffer.get(), scalar(3.0f)}).value();
  for (int i = 0; i < 3; ++i) {
    twice->send().value();
    thrice->send().value();
  }
  EXPECT_THAT(contents_of<float>(*buffer, *first), ElementsAre(216));
}

TEST_F(WorkerStreams, APreparedLaunchThatFailsIsToldWhenItsStreamIsFinished) {
  const auto kernel = program->kernel("abort").value();
  const auto prepared = first->prepare(*kernel, {}, {}).value();
  prepared->send().value();
  EXPECT_EQ(first->finish(kLimit).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(prepared->send().error().code(), ErrorCode::device_lost);
}

TEST_F(WorkerStreams, OneStreamRunsItsLaunchesOneAfterTheOther) {
  const auto one = run_for(*first, 3 * kMicrosecond);
  const auto other = run_for(*first, 5 * kMicrosecond);
  first->finish(kLimit).value();
  EXPECT_EQ(other->start().value(), one->end().value());
}

TEST_F(WorkerStreams, WaitForAnEventOfAnotherStream) {
  const auto before = run_for(*second, 1 * kMicrosecond);
  const auto awaited = run_for(*first, 3 * kMicrosecond);
  second->wait_for(*awaited).value();
  const auto after = run_for(*second, 5 * kMicrosecond);
  ASSERT_TRUE(finish_both());
  EXPECT_EQ(before->start().value(), awaited->start().value());
  EXPECT_EQ(after->start().value(), awaited->end().value());
}

// The streams wait for each other in turns; their commands reach the device in the order of giving.
TEST_F(WorkerStreams, ComputeWhatDependsOnEachOther) {
  const auto x = buffer_with<float>(*device, *first, {1, 2});
  const auto scaled = launch(*first, "scale", {x.get(), scalar(3.0f)}).value();
  second->wait_for(*scaled).value();
  std::vector<float> between(2);
  second->read(*x, std::as_writable_bytes(std::span(between))).value();
  const auto marked = run_for(*second, kMicrosecond);
  first->wait_for(*marked).value();
  const std::vector<float> later{7, 8};
  first->write(*x, std::as_bytes(std::span(later))).value();
  const auto again = launch(*first, "scale", {x.get(), scalar(2.0f)}).value();
  ASSERT_TRUE(finish_both());
  EXPECT_THAT(between, ElementsAre(3.0f, 6.0f));
  EXPECT_EQ(again->start().value(), marked->end().value());
  EXPECT_THAT(contents_of<float>(*x, *first), ElementsAre(14.0f, 16.0f));
}

TEST_F(WorkerStreams, HandOverWhatTheyWaitFor) {
  const auto awaited = run_for(*first, 3 * kMicrosecond);
  second->wait_for(*awaited).value();
  const auto after = run_for(*second, kMicrosecond);
  const auto unrelated = run_for(*first, kMicrosecond);
  second->finish(kLimit).value();
  EXPECT_EQ(after->duration().value(), kMicrosecond);
  ASSERT_TRUE(test::wait_until([&] { return awaited->ready().value(); }));
  EXPECT_EQ(after->start().value(), awaited->end().value());
  EXPECT_FALSE(unrelated->ready().value());
  EXPECT_EQ(unrelated->end().error().code(), ErrorCode::invalid_argument);
  first->finish(kLimit).value();
  EXPECT_GE(unrelated->start().value(), awaited->end().value());
}

TEST_F(WorkerStreams, WaitForWhatHasEndedWithoutAsking) {
  const auto awaited = run_for(*first, 3 * kMicrosecond);
  first->finish(kLimit).value();
  second->wait_for(*awaited).value();
  const auto after = run_for(*second, kMicrosecond);
  second->finish(kLimit).value();
  EXPECT_EQ(after->start().value(), awaited->end().value());
}

TEST_F(WorkerStreams, SubmitWithoutWaiting) {
  const auto x = buffer_with<float>(*device, *first, {1, 2});
  const auto event = launch(*first, "scale", {x.get(), scalar(3.0f)}).value();
  std::vector<float> found(2);
  first->read(*x, std::as_writable_bytes(std::span(found))).value();
  EXPECT_FALSE(event->ready().value());  // nobody has handed it over
  EXPECT_EQ(event->duration().error().code(), ErrorCode::invalid_argument);
  first->submit().value();
  EXPECT_FALSE(event->ready().value());
  EXPECT_TRUE(event->ready().value());
  EXPECT_EQ(event->duration().value(), kMicrosecond);
  EXPECT_THAT(found, ElementsAre(0.0f, 0.0f));
  first->finish(kLimit).value();
  EXPECT_THAT(found, ElementsAre(3.0f, 6.0f));
  EXPECT_EQ(event->duration().value(), kMicrosecond);
}

TEST_F(WorkerStreams, AKernelThatHangsAfterASubmitEndsAsATimeout) {
  const auto event = launch(*first, "forever").value();
  first->submit().value();
  EXPECT_FALSE(event->ready().value());
  const auto finished = first->finish(nanoseconds_from_ms(5));
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code(), ErrorCode::timeout);
  EXPECT_EQ(event->ready().error().code(), ErrorCode::timeout);
  EXPECT_EQ(second->finish(kLimit).error().code(), ErrorCode::device_lost);
}

TEST_F(WorkerStreams, ErrorsAreFoundAtSubmit) {
  const auto x = buffer_with<float>(*device, *first, {1, 2});
  const auto good = launch(*first, "scale", {x.get(), scalar(3.0f)}).value();
  first->submit().value();
  const auto bad = launch(*first, "scale", {x.get()});  // the worker knows how many arguments it takes
  const Result<void> submitted = bad ? first->submit() : Result<void>(bad.error());
  EXPECT_EQ(submitted.error().code(), ErrorCode::mismatch);
  first->finish(kLimit).value();
  EXPECT_EQ(good->duration().value(), kMicrosecond);  // the stream goes on
  const auto crashed = launch(*first, "abort").value();
  EXPECT_EQ(first->submit().error().code(), ErrorCode::device_lost);
  EXPECT_EQ(crashed->ready().error().native_name(), "SIGABRT");
}

TEST_F(WorkerStreams, RefuseWhatAnotherDeviceMade) {
  fakes::FakeDevice other;
  other.add_kernel("noop", 0, [](const fakes::FakeLaunch&) { return Nanoseconds(1); });
  const auto stream = other.create_stream().value();
  const auto made = other.build(source_of("noop"), {}, kLimit).value();
  const auto kernel = made->kernel("noop").value();
  const auto event = stream->launch(*kernel, {}, {}).value();
  EXPECT_EQ(first->wait_for(*event).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(first->wait_for(*event).error().message(), "the event was made by device none, and is used with fake:0");
  const auto mixed = device->finish(std::array{first.get(), stream.get()}, {.limit = kLimit});
  EXPECT_EQ(mixed.error().message(), "the stream was made by device none, and is used with fake:0");
}

TEST_F(WorkerStreams, TellLaunchesThatTheirStreamWasDestroyed) {
  const auto collected = run_for(*first, kMicrosecond);
  second->wait_for(*collected).value();
  first.reset();
  EXPECT_EQ(collected->ready().error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(second->wait_for(*collected).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(second->finish(kLimit).error().code(), ErrorCode::invalid_argument);  // the error of the first wait
}

TEST_F(WorkerStreams, SampleSensorsWhileKernelsRun) {
  const auto event = run_for(*first, 25 * kMicrosecond);
  const auto samples = finish_both({.limit = kLimit, .sample_every = 10 * kMicrosecond}).value();
  ASSERT_THAT(samples, SizeIs(4));
  EXPECT_EQ(samples.front().at, event->start().value());
  EXPECT_EQ(samples[1].at - samples[0].at, 10 * kMicrosecond);
  EXPECT_EQ(samples.back().at, event->end().value());
  EXPECT_NEAR((*samples[1].readings.energy - *samples[0].readings.energy).value(), 1e-3, 1e-9);  // 100 W, 10 us
  EXPECT_THAT(finish_both().value(), IsEmpty());
}

}  // namespace
}  // namespace wattune::backend
