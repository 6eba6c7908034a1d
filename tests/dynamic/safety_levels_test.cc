// Levels of safety and tuning on demand, in an application's own OpenCL context. The fastest configuration of the
// kernel computes something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "dynamic/children.h"
#include "dynamic/opencl_application.h"
#include "wait.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using test::OpenClApplication;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kNumbers = 256;

// WRONG skips the work, and its result is off by one. The default takes so long that the best stays faster even if the
// machine interrupts it for a few milliseconds: one such call would end its trial.
constexpr char kDouble[] = R"(
kernel void twice(global float* x, int n) {
  float y = 0.0f;
  for (int i = 0; i < (WRONG ? 1 : ROUNDS); ++i) y = y * 0.5f + x[0];
  const int i = get_global_id(0);
  if (i < n) x[i] = x[i] * 2.0f + (y > 1e30f || WRONG ? 1.0f : 0.0f);
}
)";

KernelSpec twice_spec() {
  KernelSpec spec;
  spec.name = "twice";
  spec.source = {.language = Language::opencl, .function = "twice", .text = kDouble};
  spec.problem_size = {{"n", kNumbers}};
  spec.geometry.sizes[0] = {"n"};
  spec.geometry.work_group[0] = {"32"};
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .access = ArgumentAccess::read_write}, {}},
                    {"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}, {}}};
  spec.parameters = {{.name = "ROUNDS", .values = {40'000, 40}}, {.name = "WRONG", .values = {0, 1}}};
  ReferenceKernel reference;
  reference.source = {.language = Language::opencl,
                      .function = "plain",
                      .text = "kernel void plain(global float* x, int n) { x[get_global_id(0)] *= 2.0f; }"};
  reference.geometry.sizes[0] = {"n"};
  spec.reference = reference;
  return spec;
}

class SafetyLevels : public ::testing::Test {
 protected:
  void SetUp() override {
    application = OpenClApplication::make();
    if (!application) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::attach_opencl(application->context(), application->device()).value();
    tuner = attach();
    x = application->make_memory(std::vector<float>(kNumbers, 0.0f));
  }
  // Attaches a tuner whose processes have the same priority as other tests.
  std::unique_ptr<Tuner> attach(TunerOptions options = {}) {
    options.budget = {.share = 1.0, .longest = nanoseconds_from_seconds(1)};
    options.worker.niceness = 0;
    return Tuner::attach(*device, options).value();
  }
  std::unique_ptr<TunableKernel> kernel(Safety safety, const KernelSpec& spec = twice_spec()) {
    return tuner->kernel(spec, {.policy = {.safety = safety, .strategy = "exhaustive"}}).value();
  }
  // Announces so many calls that each further step pays, however long it takes on a busy machine.
  static void announce(TunableKernel& twice) {
    constexpr std::uint64_t kCalls = 1'000'000'000;
    twice.expect(std::vector<NamedSize>{{"n", kNumbers}}, kCalls).value();
  }
  // Calls the kernel until it is tuned. Zeros stay zeros when they are doubled.
  void tune(TunableKernel& twice) {
    announce(twice);
    ASSERT_TRUE(test::wait_until([&] {
      twice(application->queue(), x, kNumbers).value();
      EXPECT_THAT(application->values(x, kNumbers), Each(0.0f));
      const KeyReport key = twice.report().keys.front();
      return HasFailure() || key.stage == TuningStage::complete;
    })) << twice.report().keys.front().state;
  }
  static std::string best(const TunableKernel& twice) { return twice.best({{"n", kNumbers}})->to_string(); }

  std::unique_ptr<OpenClApplication> application;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<Tuner> tuner;
  cl_mem x = nullptr;
};

TEST_F(SafetyLevels, ScreenedKernelsAreSearchedInAProcessOfTheirOwn) {
  const auto twice = kernel(Safety::screened);
  tune(*twice);
  EXPECT_EQ(best(*twice), "ROUNDS=40, WRONG=0");
  const KernelReport report = twice->report();
  EXPECT_EQ(report.explored, 4u);
  EXPECT_GE(report.keys.front().failed, 1u) << "of two, of which one may be too slow to be looked at";
  EXPECT_EQ(report.wrong_results, 0u) << "they never came to the application";
  const std::vector<TriedReport>& tried = report.keys.front().tried;
  const auto won = std::ranges::find(tried, TriedOutcome::better, &TriedReport::outcome);
  ASSERT_NE(won, tried.end());
  EXPECT_EQ(won->configuration.to_string(), best(*twice));
  EXPECT_TRUE(won->expected && won->time && won->best);
  EXPECT_GE(won->decided_at, won->offered_at);
  EXPECT_GT(tuner->report().stalls.screening, Nanoseconds());
  EXPECT_THAT(tuner->report().notes, Each(HasSubstr("screening waits"))) << "where the machine has much to do";
}

TEST_F(SafetyLevels, WithoutAReferenceOutputsAreThoseOfTheDefaultConfiguration) {
  KernelSpec spec = twice_spec();
  spec.reference = {};
  const auto twice = kernel(Safety::screened, spec);
  tune(*twice);
  EXPECT_EQ(best(*twice), "ROUNDS=40, WRONG=0");
  const KeyReport key = twice->report().keys.front();
  EXPECT_EQ(key.failures.size(), key.failed);
  ASSERT_FALSE(key.failures.empty());
  EXPECT_EQ(key.failures.front().status, Status::correctness);
  EXPECT_EQ(key.failures.front().configuration.find("WRONG")->as_integer(), 1);
  EXPECT_THAT(key.failures.front().message, HasSubstr("`x`: 256 of 256 elements are wrong"));
}

TEST_F(SafetyLevels, AnExpectedKeyIsScreenedBeforeItsFirstCallWhereCallsMayExplore) {
  const auto twice = kernel(Safety::screened);
  twice->set_mode(Mode::best);
  twice->expect(std::vector<NamedSize>{{"n", kNumbers / 2}}).value();
  ASSERT_TRUE(test::wait_until([&] { return twice->best({{"n", kNumbers / 2}}); }));
  EXPECT_NE(twice->report().keys.front().stage, TuningStage::under_way);
  twice->set_mode(Mode::automatic);
  twice->expect(std::vector<NamedSize>{{"n", kNumbers}}).value();
  EXPECT_TRUE(test::wait_until([&] { return twice->report().explored > 0; }));
  EXPECT_EQ(twice->report().calls, 0u);
}

TEST_F(SafetyLevels, WithoutADeviceToScreenOnTheBestKnownRuns) {
  tuner = attach({.screening_device = "opencl:77:0"});
  const auto twice = kernel(Safety::screened);
  ASSERT_TRUE(test::wait_until([&] {
    (*twice)(application->queue(), x, kNumbers).value();
    return !tuner->report().notes.empty();
  }));
  EXPECT_THAT(tuner->report().notes.front(), HasSubstr("nothing is screened, so that"));
  EXPECT_EQ(best(*twice), "ROUNDS=40000, WRONG=0");
}

TEST_F(SafetyLevels, WorkersThatAreKilledCostNoResult) {
  const auto twice = kernel(Safety::screened);
  std::atomic<bool> stop = false;
  std::thread killer([&] {  // at three moments of the tuning
    for (int i = 0; i < 3 && !stop; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      for (const pid_t child : test::children()) kill(child, SIGKILL);
    }
  });
  tune(*twice);
  stop = true;
  killer.join();
  EXPECT_TRUE(twice->best({{"n", kNumbers}}));
  EXPECT_NE(twice->report().keys.front().stage, TuningStage::under_way);
}

TEST_F(SafetyLevels, AForkInTheMiddleOfScreeningHarmsNothing) {
  auto twice = kernel(Safety::screened);
  announce(*twice);
  ASSERT_TRUE(test::wait_until([&] {
    (*twice)(application->queue(), x, kNumbers).value();
    application->values(x, kNumbers);
    return tuner->report().stalls.screening > Nanoseconds();
  }));
  const pid_t child = fork();
  if (child == 0) {
    const Result<void> called = (*twice)(application->queue(), x, kNumbers);
    const bool refused = !called && called.error().code() == ErrorCode::unavailable;
    twice.reset();
    tuner.reset();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  tune(*twice);
  EXPECT_EQ(best(*twice), "ROUNDS=40, WRONG=0");
}

// The reference makes every output wrong. The best known still runs, a note tells that it is wrong, and nothing else is
// tried.
TEST_F(SafetyLevels, WhereEveryConfigurationFailsTheBestKnownRunsAndANoteSaysWhy) {
  KernelSpec spec = twice_spec();
  std::get<ReferenceKernel>(spec.reference).source.text =
      "kernel void plain(global float* x, int n) { x[get_global_id(0)] = 7.0f; }";
  const auto twice = kernel(Safety::screened, spec);
  announce(*twice);
  ASSERT_TRUE(test::wait_until([&] {
    (*twice)(application->queue(), x, kNumbers).value();
    return !tuner->report().notes.empty();
  }));
  EXPECT_THAT(tuner->report().notes.front(),
              HasSubstr("none of 4 configurations works on generated data; ROUNDS=40000"));
  EXPECT_EQ(best(*twice), "ROUNDS=40000, WRONG=0");
}

TEST_F(SafetyLevels, ShadowedCallsKeepWrongResultsFromTheApplication) {
  const auto twice = kernel(Safety::shadowed);
  tune(*twice);
  EXPECT_EQ(best(*twice), "ROUNDS=40, WRONG=0");
  const KernelReport report = twice->report();
  EXPECT_EQ(report.wrong_results, 2u);
  EXPECT_EQ(report.keys.front().failed, 2u);
  EXPECT_GT(tuner->report().stalls.comparing, Nanoseconds());
  twice->retune();
  tune(*twice);
  EXPECT_EQ(twice->report().wrong_results, 2u) << "what was wrong once is not tried again";
}

// The outputs cannot be compared.
TEST_F(SafetyLevels, WhatCannotBeComparedIsAdoptedOnlyWhereThatIsAllowed) {
  KernelSpec spec = twice_spec();
  spec.reference = {};
  std::get<VectorArgument>(spec.arguments[0].kind).comparison = OutputComparison::none;
  const std::array<CallArgument, 2> arguments{CallArgument(x), CallArgument(kNumbers)};
  for (const Safety safety : {Safety::screened, Safety::shadowed}) {
    tuner = attach();  // it knows nothing of the level before
    const auto twice = kernel(safety, spec);
    (*twice)(application->queue(), x, kNumbers).value();
    EXPECT_FALSE(twice->tune_now(application->queue(), arguments)->best->observation.verified);
    EXPECT_EQ(best(*twice), "ROUNDS=40000, WRONG=0");
    const auto allowed =
        tuner->kernel(spec, {.policy = {.safety = safety, .strategy = "exhaustive", .adopt_unverified = true}}).value();
    allowed->tune_now(application->queue(), arguments).value();
    EXPECT_NE(best(*allowed), "ROUNDS=40000, WRONG=0");
    EXPECT_THAT(tuner->report().notes, ::testing::Contains(HasSubstr("no output that can be compared")));
  }
}

TEST_F(SafetyLevels, TuningNowLeavesTheArgumentsAsTheyAre) {
  const cl_mem ones = application->make_memory(std::vector<float>(kNumbers, 1.0f));
  for (const Safety safety : {Safety::trusted, Safety::screened}) {
    const auto twice = kernel(safety);
    const std::array<CallArgument, 2> arguments{CallArgument(ones), CallArgument(kNumbers)};
    const tune::TuningResult result = twice->tune_now(application->queue(), arguments).value();
    EXPECT_EQ(result.best->configuration.to_string(), "ROUNDS=40, WRONG=0");
    EXPECT_EQ(result.by_status.at(Status::correctness), 2u);
    EXPECT_EQ(best(*twice), "ROUNDS=40, WRONG=0");
    EXPECT_THAT(application->values(ones, kNumbers), Each(1.0f));
  }
}

}  // namespace
}  // namespace wattune::dynamic
