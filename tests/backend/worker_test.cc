// The worker's life cycle, with a worker program that serves a FakeDevice and misbehaves on demand.
#include <sys/time.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "backend/support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// The names of all kernels of the fake worker.
constexpr char kFakeKernels[] = "noop scale overrun abort exit garbage sleep forever";

WorkerOptions fake_worker() {
  WorkerOptions options;
  options.executable = test::program("wattune-fake-worker");
  return options;
}

class Worker : public ::testing::Test {
 protected:
  void SetUp() override { start(); }
  void TearDown() override {
    stream.reset();
    device.reset();
    EXPECT_THAT(children(), IsEmpty()) << "a worker was left behind";
  }

  void start() {
    device = open_device_in_worker("fake:0", fake_worker()).value();
    stream = device->create_stream().value();
  }

  Result<Nanoseconds> run(const std::string& name, std::vector<LaunchArgument> arguments = {},
                          Nanoseconds limit = kLimit) {
    return run_once(*device, *stream, kFakeKernels, name, {}, std::move(arguments), limit);
  }

  // Checks the state after a loss: every old object answers device_lost, and reset() brings back a device that
  // computes.
  void expect_lost_until_reset() {
    EXPECT_EQ(device->build(source_of(kFakeKernels), {}, kLimit).error().code(), ErrorCode::device_lost);
    EXPECT_EQ(device->create_buffer(4).error().code(), ErrorCode::device_lost);
    EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
    device->reset().value();
    EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
    stream = device->create_stream().value();
    const auto buffer = buffer_with<float>(*device, *stream, {1, 2});
    ASSERT_TRUE(run("scale", {buffer.get(), scalar(3.0f)}));
    EXPECT_THAT(contents_of<float>(*buffer, *stream), ElementsAre(3.0f, 6.0f));
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

TEST_F(Worker, ServesEveryCall) {
  EXPECT_EQ(device->info().name, "Fake device");
  const auto program = device->build(source_of(kFakeKernels), {}, kLimit).value();
  EXPECT_EQ(program->build_log(), "a warning");
  const auto kernel = program->kernel("scale").value();
  EXPECT_EQ(kernel->argument_count(), 2u);
  EXPECT_EQ(kernel->max_work_group_size(), 1024u);
  const auto from = buffer_with<float>(*device, *stream, {1, 2, 3});
  const auto to = device->create_buffer(from->bytes()).value();
  const std::vector<LaunchArgument> arguments{to.get(), scalar(2.0f)};
  stream->fill(*to, std::byte{0}).value();
  stream->copy(*from, *to).value();
  const auto event = stream->launch(*kernel, {}, arguments).value();
  EXPECT_FALSE(event->duration());
  EXPECT_THAT(contents_of<float>(*to, *stream), ElementsAre(2.0f, 4.0f, 6.0f));
  EXPECT_EQ(event->duration().value(), Nanoseconds(1000));
}

TEST_F(Worker, PassesErrorsOfTheDeviceOn) {
  const auto wrong = device->build(source_of("wrong"), {}, kLimit);
  EXPECT_EQ(wrong.error().code(), ErrorCode::compile_failed);
  EXPECT_EQ(wrong.error().message(), "line 1: wrong");
  const auto program = device->build(source_of(kFakeKernels), {}, kLimit).value();
  EXPECT_EQ(program->kernel("scal").error().advice(), "did you mean `scale`?");
  EXPECT_EQ(run("scale").error().code(), ErrorCode::mismatch);
  const auto nothing = open_device_in_worker("fake:1", fake_worker());
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code(), ErrorCode::not_found);
  EXPECT_TRUE(run("noop"));  // none of this harmed the worker
}

TEST_F(Worker, ChecksGuards) {
  const auto buffer = buffer_with<float>(*device, *stream, {1});
  ASSERT_TRUE(run("overrun", {buffer.get()}));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(2u, 3u));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(0u, 0u));
}

TEST_F(Worker, TransfersMoreThanASocketHolds) {
  const std::vector<float> values = iota(std::size_t{4} << 20);  // 16 MiB
  const auto buffer = buffer_with<float>(*device, *stream, values);
  EXPECT_EQ(contents_of<float>(*buffer, *stream), values);
}

TEST_F(Worker, ReportsACrashWithSignalAndLastWords) {
  const auto result = run("abort");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(result.error().message(), "worker killed by SIGABRT: kernel gave up");
  EXPECT_EQ(result.error().native_name(), "SIGABRT");
  EXPECT_EQ(result.error().native_code(), SIGABRT);
  expect_lost_until_reset();
}

TEST_F(Worker, ReportsAnEarlyExitWithItsStatus) {
  const auto result = run("exit");
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(result.error().message(), "worker exited with status 5");
  EXPECT_EQ(result.error().native_name(), "");
  expect_lost_until_reset();
}

TEST_F(Worker, ReportsAKillFromOutsideAsSuch) {
  ASSERT_THAT(children(), SizeIs(1));
  kill(children()[0], SIGKILL);
  auto result = run("noop");
  // The supervisor is killed, and the worker ends a moment later.
  ASSERT_TRUE(test::wait_until([&] { return !result || !(result = run("noop")); }));
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(result.error().native_name(), "SIGKILL");
  expect_lost_until_reset();
}

TEST_F(Worker, EndsAKernelAtItsLimit) {
  const auto result = run("sleep", {}, nanoseconds_from_ms(20));
  EXPECT_EQ(result.error().code(), ErrorCode::timeout);
  EXPECT_EQ(result.error().native_name(), "");
  expect_lost_until_reset();
}

TEST_F(Worker, EndsACompilerAtItsLimit) {
  EXPECT_EQ(device->build(source_of("slow"), {}, nanoseconds_from_ms(20)).error().code(), ErrorCode::timeout);
  expect_lost_until_reset();
}

TEST_F(Worker, TakesATimeoutThatTheDeviceNoticed) {
  EXPECT_EQ(run("forever").error().code(), ErrorCode::timeout);
  expect_lost_until_reset();
}

TEST_F(Worker, EndsAWorkerThatSendsGarbage) {
  const auto result = run("garbage");
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_THAT(result.error().message(), HasSubstr("does not speak the protocol"));
  expect_lost_until_reset();
}

TEST_F(Worker, TellsLaunchesThatTheyWereLost) {
  const auto program = device->build(source_of(kFakeKernels), {}, kLimit).value();
  const auto kernel = program->kernel("abort").value();
  const auto event = stream->launch(*kernel, {}, {}).value();
  EXPECT_FALSE(stream->finish(kLimit));
  EXPECT_EQ(event->duration().error().code(), ErrorCode::device_lost);
}

TEST_F(Worker, OutlivesObjectsOfEarlierLives) {
  const auto buffer = buffer_with<float>(*device, *stream, {1});
  const auto program = device->build(source_of(kFakeKernels), {}, kLimit).value();
  device->reset().value();
  EXPECT_EQ(program->kernel("noop").error().code(), ErrorCode::device_lost);
  EXPECT_EQ(stream->fill(*buffer, std::byte{0}).error().code(), ErrorCode::device_lost);
}

TEST_F(Worker, ForgetsObjectsThatWereDestroyed) {
  constexpr std::size_t kMoreThanHalf = std::size_t{40} << 20;  // of the fake worker's 64 MiB
  ASSERT_TRUE(device->create_buffer(kMoreThanHalf));
  const auto buffer = device->create_buffer(kMoreThanHalf);
  EXPECT_TRUE(buffer);
  EXPECT_FALSE(device->create_buffer(kMoreThanHalf));
}

TEST_F(Worker, RefusesImpossibleLaunchesWithoutAsking) {
  const auto program = device->build(source_of(kFakeKernels), {}, kLimit).value();
  const auto kernel = program->kernel("noop").value();
  const auto launch = stream->launch(*kernel, {.groups = {1, 1, 1}, .group_size = {2048, 1, 1}}, {});
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().code(), ErrorCode::launch_failed);
}

TEST_F(Worker, LivesOnWhenTheThreadThatStartedItEnds) {
  std::thread([this] {
    stream.reset();
    device = open_device_in_worker("fake:0", fake_worker()).value();
    stream = device->create_stream().value();
  }).join();
  EXPECT_TRUE(run("noop"));
}

TEST_F(Worker, WaitsThroughSignals) {
  struct sigaction act {};
  act.sa_handler = [](int) {};
  struct sigaction old {};
  ASSERT_EQ(sigaction(SIGALRM, &act, &old), 0);
  itimerval often{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(run("noop"));
  device->reset().value();
  stream = device->create_stream().value();
  const std::vector<float> values = iota(std::size_t{1} << 20);
  const auto buffer = buffer_with<float>(*device, *stream, values);
  EXPECT_EQ(contents_of<float>(*buffer, *stream), values);
  setitimer(ITIMER_REAL, nullptr, nullptr);
  sigaction(SIGALRM, &old, nullptr);
}

TEST(WorkerStart, FailsWhenTheWorkerExitsAtOnce) {
  const auto device = open_device_in_worker("fake:exit", fake_worker());
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(device.error().to_string(), HasSubstr("worker exited with status 7"));
  EXPECT_THAT(children(), IsEmpty());
}

TEST(WorkerStart, FailsWhenTheWorkerSpeaksAnotherLanguage) {
  for (const char* selector : {"fake:garbage", "fake:nonsense"}) {
    const auto device = open_device_in_worker(selector, fake_worker());
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code(), ErrorCode::unavailable);
    EXPECT_THAT(device.error().to_string(), HasSubstr("does not speak the protocol"));
  }
  EXPECT_THAT(children(), IsEmpty());
}

TEST(WorkerStart, FailsWhenTheWorkerDoesNotAnswer) {
  WorkerOptions options = fake_worker();
  options.start_limit = nanoseconds_from_ms(50);
  const auto device = open_device_in_worker("fake:sleep", options);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(children(), IsEmpty());
}

TEST(WorkerStart, FailsWhenThereIsNoSuchProgram) {
  WorkerOptions options;
  options.executable = "/nowhere/wattune-worker";
  EXPECT_EQ(open_device_in_worker("fake:0", options).error().code(), ErrorCode::unavailable);
  options.executable = "/bin/true";
  EXPECT_EQ(open_device_in_worker("fake:0", options).error().code(), ErrorCode::unavailable);
}

TEST(WorkerStart, DiscoversInAWorker) {
  const Discovery discovery = discover_in_worker(fake_worker()).value();
  ASSERT_THAT(discovery.devices, SizeIs(1));
  EXPECT_EQ(discovery.devices[0].selector, "fake:0");
  EXPECT_THAT(children(), IsEmpty());
}

// A killed parent leaves no worker behind, not even one that is busy for ever.
TEST(WorkerStart, EndsWithItsParent) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const auto device = open_device_in_worker("fake:0", fake_worker()).value();
    const auto stream = device->create_stream().value();
    const auto program = device->build(source_of(kFakeKernels), {}, kLimit).value();
    const auto kernel = program->kernel("sleep").value();
    (void)stream->launch(*kernel, {}, {});
    const pid_t worker = children().at(0);
    (void)!write(pipe_ends[1], &worker, sizeof worker);
    (void)stream->finish(kLimit);
    _exit(0);
  }
  pid_t worker = 0;
  ASSERT_EQ(read(pipe_ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends(worker));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace wattune::backend
