// A session, which opens everything that tuning takes by one call: on the fake worker, and on recorded results.
#include "wattune/tune/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <optional>
#include <thread>

#include "folder_test.h"
#include "programs.h"
#include "tune/problem.h"
#include "wait.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Returns a spec of y *= 3 over 64 floats, as the fake worker's kernel `scale` computes it.
KernelSpec in_place_spec() {
  KernelSpec spec = scale_spec();
  spec.arguments = {vector_argument("y", ArgumentAccess::read_write, FillIota{}), spec.arguments[2]};
  spec.parameters = {{"block", {8, 16, 64}, {}, {}}};
  return spec;
}

SessionOptions on_fake_worker() {
  SessionOptions options;
  options.evaluation.where.worker.executable = test::program("wattune-fake-worker");
  options.sampling.warm_up = Nanoseconds();
  options.compile_processes = 1;
  return options;
}

struct Trials : TrialSink {
  Result<void> add(const Trial& trial) override {
    trials.push_back(trial);
    return {};
  }
  std::vector<Trial> trials;
};

TEST(Session, OpensTheDeviceItsCompilersAndAPlan) {
  SessionOptions options = on_fake_worker();
  options.shoot_out.finalists = 0;  // which would be compiled again
  const auto session = open(in_place_spec(), options).value();
  ASSERT_THAT(session->devices(), SizeIs(1));
  EXPECT_EQ(session->devices().front().selector, "fake:0");
  EXPECT_EQ(session->plan().strategy, "exhaustive");
  const TuningResult result = session->run().value();
  EXPECT_EQ(result.by_status, (std::map<Status, std::uint64_t>{{Status::correct, 3}}));
  EXPECT_EQ(result.pipeline->compiling->compiled, 4u) << "and the default one, with which they are compared";
}

TEST(Session, RecordsResumesAndSaysWhatTheResultsAreAbout) {
  Trials sink;
  TuningObserver nobody;
  SessionOptions options = on_fake_worker();
  options.stop.evaluations = 2;
  options.shoot_out.finalists = 0;
  const auto first = open(in_place_spec(), options).value();
  ASSERT_TRUE(first->run(sink, nobody));
  ASSERT_THAT(sink.trials, SizeIs(2));
  options.stop = {};
  const auto second = open(in_place_spec(), options).value();
  EXPECT_EQ(second->describe().identity, first->describe().identity);
  EXPECT_EQ(second->describe().identity.at("policy"), "gated");
  const TuningResult result = second->run(sink, nobody, std::vector<Trial>(sink.trials)).value();
  EXPECT_EQ(result.resumed, 2u);
  EXPECT_EQ(result.evaluated, 1u);
}

TEST(Session, MeasuresAsTheOptionsSay) {
  SessionOptions options = on_fake_worker();
  options.policy = measure::make_repeated_runs;
  options.sampling.min_samples = 3;
  options.sampling.max_samples = 3;
  options.compile_processes = 0;
  options.shoot_out.finalists = 0;
  const auto session = open(in_place_spec(), options).value();
  EXPECT_EQ(session->describe().identity.at("policy"), "repeated");
  const TuningResult result = session->run().value();
  EXPECT_EQ(result.samples, 9u);
  EXPECT_FALSE(result.pipeline->compiling);
}

TEST(Session, SaysWhatIsWrongBeforeADeviceIsOpened) {
  SessionOptions options = on_fake_worker();
  options.strategy = "no such";
  EXPECT_EQ(open(in_place_spec(), options).error().code(), ErrorCode::not_found);
  options = on_fake_worker();
  options.stop.fraction = 2.0;
  EXPECT_EQ(open(in_place_spec(), options).error().code(), ErrorCode::invalid_argument);
  options = on_fake_worker();
  options.device = "cuda:7";
  EXPECT_THAT(open(in_place_spec(), options).error().to_string(), HasSubstr("cuda:7"));
  options = on_fake_worker();
  options.stop.time = nanoseconds_from_seconds(5);
  options.evaluation.observe = {BoardMetric::energy};
  options.evaluation.energy_window = nanoseconds_from_seconds(10);
  EXPECT_THAT(open(in_place_spec(), options).error().to_string(),
              HasSubstr("an energy window of 10 s is longer than the 5 s that the search may take"));
}

ResultSet two_recorded() {
  ResultSet results;
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"block"});
  results.info.device.name = "Old GPU";
  results.info.parameters = {{"block", {8, 16}, {}, {}}};
  for (const int block : {8, 16}) {
    Observation observation;
    const Nanoseconds time(10.0 * block);
    observation.statistics = Statistics{time, time, time, time, time, {}};
    results.trials.push_back({Configuration(results.trials.size(), names, {block}), observation, {}});
  }
  return results;
}

// Opens a session whose worker or compiler gets stuck, and cancels as soon as it is.
class StuckSession : public test::FolderTest {
 protected:
  void SetUp() override { setenv("WATTUNE_FAKE_COMPILER_LOG", path("log").c_str(), 1); }
  void TearDown() override { unsetenv("WATTUNE_FAKE_COMPILER_LOG"); }

  void expect_cancelled(const KernelSpec& spec, SessionOptions options) {
    options.evaluation.limits.reference = nanoseconds_from_seconds(3600);
    options.evaluation.limits.compile = nanoseconds_from_seconds(3600);
    std::atomic<bool> cancel = false;
    std::optional<Error> error;
    std::atomic<bool> done = false;
    std::thread opening([&] {
      auto session = open(spec, options, &cancel);
      if (!session) error = session.error();
      done = true;
    });
    EXPECT_TRUE(test::wait_until([&] { return !test::contents_of(path("log")).empty(); }));
    EXPECT_FALSE(done);
    cancel = true;
    ASSERT_TRUE(test::wait_until([&] { return done.load(); })) << "opening went on";
    opening.join();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::cancelled) << error->to_string();
  }
};

TEST_F(StuckSession, IsCancelledWhileItsReferenceRuns) {
  KernelSpec spec = in_place_spec();
  ReferenceKernel reference;
  reference.source.function = reference.source.text = "linger";
  reference.geometry.sizes[0] = at_line("n", 30);
  spec.reference = reference;
  expect_cancelled(spec, on_fake_worker());
}

// The reference never ends. The search may take one second, so the reference may not take longer either.
TEST_F(StuckSession, GivesTheReferenceNoMoreTimeThanTheSearch) {
  KernelSpec spec = in_place_spec();
  ReferenceKernel reference;
  reference.source.function = reference.source.text = "linger";
  reference.geometry.sizes[0] = at_line("n", 30);
  spec.reference = reference;
  SessionOptions options = on_fake_worker();
  options.stop.time = nanoseconds_from_seconds(1);
  const auto session = open(spec, options);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code(), ErrorCode::timeout) << session.error().to_string();
  EXPECT_THAT(session.error().to_string(), HasSubstr("reference"));
}

TEST_F(StuckSession, IsCancelledWhileTheDeviceCompiles) {
  KernelSpec spec = in_place_spec();
  spec.source.text = "slow";
  SessionOptions options = on_fake_worker();
  options.compile_processes = 0;
  expect_cancelled(spec, options);
}

TEST_F(StuckSession, IsCancelledWhileACompileProcessWorks) {
  KernelSpec spec = in_place_spec();
  spec.parameters.push_back({"MODE", {"sleep"}, {}, {}});
  expect_cancelled(spec, on_fake_worker());
}

TEST(Session, IsCancelledBeforeItOpensAnything) {
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(open(in_place_spec(), on_fake_worker(), &cancel).error().code(), ErrorCode::cancelled);
}

TEST(Session, RecordedResultsTakeThePlaceOfADevice) {
  KernelSpec spec;
  spec.parameters = in_place_spec().parameters;
  const Replay replay{two_recorded(), {{"recording", "of then"}}};
  const auto session = open(spec, {.device = "replay:f", .replay = replay}).value();
  EXPECT_EQ(session->devices().front().name, "Old GPU");
  EXPECT_EQ(session->devices().front().selector, "replay:f");
  EXPECT_EQ(session->describe().identity.at("recording"), "of then");
  EXPECT_THAT(session->recording()->trials(), SizeIs(2));
  const TuningResult result = session->run().value();
  EXPECT_EQ(result.by_status, (std::map<Status, std::uint64_t>{{Status::correct, 2}, {Status::not_recorded, 1}}));
  EXPECT_EQ(result.best->observation.statistics->median, Nanoseconds(80));
}

TEST(Session, EarlierResultsAreAPrior) {
  const KernelSpec spec = in_place_spec();
  const auto prior = priors_from({{"", two_recorded()}}, spec, space_of(spec));
  ASSERT_TRUE(prior) << prior.error().to_string();
  EXPECT_THAT(*prior, ElementsAre(SizeIs(2)));
  ResultSet failures = two_recorded();
  for (Trial& trial : failures.trials) trial.observation = {.status = Status::runtime};
  EXPECT_THAT(open(spec, {.earlier = {{"old.jsonl", failures}}}).error().to_string(),
              HasSubstr("old.jsonl: nothing to start from"));
}

}  // namespace
}  // namespace wattune::tune
