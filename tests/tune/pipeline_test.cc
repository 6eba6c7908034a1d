// Configurations that are compiled in processes ahead of the device (fakes/fake_worker.cc) and run on a fake device.
#include <gmock/gmock.h>

#include <unistd.h>

#include "programs.h"
#include "tune/problem.h"
#include "wait.h"
#include "wattune/search/strategy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a spec whose parameter `MODE` says what the compiler does.
KernelSpec spec_with_modes() {
  KernelSpec spec = scale_spec();
  spec.parameters[1] = {"MODE", {"good", "wrong", "crash", "sleep"}, {}, {}};
  return spec;
}

class Pipelined : public ::testing::Test {
 protected:
  void start(EvaluatorOptions options = {}) {
    const auto target = problem.device.compile_target(problem.spec.source).value();
    backend::WorkerOptions worker;
    worker.executable = test::program("wattune-fake-worker");
    pool = std::make_unique<backend::CompilePool>(backend::CompilePoolOptions{.processes = 2, .worker = worker});
    compilers.emplace(pool->add(target, problem.spec.source));
    options.compilers = &*compilers;
    problem.start(options).value();
  }

  Configuration configuration(int block, const std::string& mode) {
    const std::vector<std::pair<std::string, Value>> values{{"block", block}, {"MODE", mode}};
    return problem.space.configuration(problem.space.find(values).value());
  }
  Observation evaluate(int block, const std::string& mode) {
    return problem.evaluator->evaluate(configuration(block, mode)).value();
  }

  // The pool and its source outlive the evaluator.
  std::unique_ptr<backend::CompilePool> pool;
  std::optional<backend::PooledSource> compilers;
  Problem problem{spec_with_modes()};
};

TEST_F(Pipelined, LoadsWhatAProcessCompiled) {
  start();
  const Observation observation = evaluate(8, "good");
  EXPECT_TRUE(observation.ok()) << observation.message;
  EXPECT_EQ(observation.build_log, "a warning");
  EXPECT_GT(observation.phases.compile, Nanoseconds(0));
  EXPECT_EQ(problem.device.counters().builds, 0);
  EXPECT_EQ(problem.device.counters().loads, 2) << "of the default configuration, with which it is compared, and of it";
}

TEST_F(Pipelined, ARefusalACrashAndAHangOfTheCompilerLeaveTheDeviceAlone) {
  Limits limits;
  limits.compile = limits.compile_floor = nanoseconds_from_ms(100);
  start({.limits = limits});
  const Observation wrong = evaluate(8, "wrong");
  EXPECT_EQ(wrong.status, Status::compile);
  EXPECT_EQ(wrong.message, "line 1: wrong");
  EXPECT_EQ(wrong.build_log, "line 1: wrong");
  const Observation crash = evaluate(8, "crash");
  EXPECT_EQ(crash.status, Status::compile);
  EXPECT_THAT(crash.message, HasSubstr("killed by SIGABRT"));
  const Observation hang = evaluate(8, "sleep");
  EXPECT_EQ(hang.status, Status::timeout);
  EXPECT_GE(hang.phases.compile, limits.compile);
  problem.evaluator->expect({configuration(16, "sleep")});
  ASSERT_TRUE(test::wait_until([this] { return compilers->activity().ready > 0; }));
  EXPECT_GE(evaluate(16, "sleep").phases.compile, limits.compile);  // also when nobody waited for it
  EXPECT_TRUE(evaluate(8, "good").ok());
  EXPECT_EQ(problem.device.counters().resets, 0);
}

// 64 work-items are no multiple of 24.
TEST_F(Pipelined, DoesNotCompileWhatCannotBeLaunched) {
  problem.spec.parameters[0].values.emplace_back(24);
  problem.space = space_of(problem.spec);
  start();
  problem.evaluator->expect({configuration(24, "good"), configuration(8, "good")});
  EXPECT_EQ(evaluate(24, "good").status, Status::constraints);
  EXPECT_TRUE(evaluate(8, "good").ok());
  EXPECT_EQ(compilers->activity().compiled, 2u) << "of the default configuration, with which it is compared, and of it";
}

// The device cannot launch 24, and the compiler refuses the wrong one; the others were asked for and looked at, not
// taken.
TEST_F(Pipelined, ForeseesWhatTheCompilerSays) {
  problem.spec.parameters[0].values.emplace_back(24);
  problem.space = space_of(problem.spec);
  start();
  const std::vector<Configuration> all = {configuration(24, "good"), configuration(8, "wrong"),
                                          configuration(8, "good")};
  problem.evaluator->expect(all);
  ASSERT_TRUE(test::wait_until([this] { return compilers->activity().ready >= 2; }));
  const auto foreseen = problem.evaluator->foresee(all, all.size());
  ASSERT_TRUE(foreseen[0] && foreseen[1] && foreseen[2]);
  EXPECT_FALSE(foreseen[0]->runs);
  EXPECT_FALSE(foreseen[1]->runs);
  EXPECT_TRUE(foreseen[2]->runs);
  EXPECT_EQ(std::ranges::count(foreseen[2]->metrics, "binary_size", &Metric::name), 1);
  EXPECT_EQ(compilers->activity().ready, 2u);
  EXPECT_TRUE(evaluate(8, "good").ok());
  EXPECT_EQ(compilers->activity().compiled, 3u) << "and the default configuration, with which it is compared";
  EXPECT_FALSE(problem.evaluator->foresee({configuration(16, "good")}, 0)[0]);  // nobody expected it
}

TEST_F(Pipelined, ComparesWhatItCompiled) {
  start();
  const auto observations =
      problem.evaluator->hold_contest({configuration(8, "good"), configuration(16, "good")}, {}).value().observations;
  ASSERT_EQ(observations.size(), 2u);
  EXPECT_TRUE(observations[0].ok() && observations[1].ok());
  EXPECT_EQ(problem.device.counters().builds, 0);
}

TEST_F(Pipelined, TellsHowBusyTheDeviceIsAndWhatCompiles) {
  start();
  EXPECT_EQ(problem.evaluator->pipeline()->devices_busy.front(), Nanoseconds(0));
  ASSERT_TRUE(evaluate(8, "good").ok());
  const Pipeline pipeline = *problem.evaluator->pipeline();
  EXPECT_GT(pipeline.devices_busy.front(), Nanoseconds(0));
  ASSERT_TRUE(pipeline.compiling);
  EXPECT_EQ(pipeline.compiling->processes, 2u);
  EXPECT_EQ(pipeline.compiling->compiled, 2u) << "of the default configuration, with which it is compared, and of it";
  EXPECT_GT(pipeline.compiling->busy, Nanoseconds(0));
  EXPECT_GT(pipeline.compiling->waited, Nanoseconds(0));
}

class IdSink : public TrialSink {
 public:
  Result<void> add(const Trial& trial) override {
    ids.push_back(trial.configuration.id());
    return {};
  }
  std::vector<ConfigurationId> ids;
};

struct NoObserver : TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const TuningEvent&) override {}
};

// Trials come in the strategy's order, whichever process is done first: the same in every run.
TEST_F(Pipelined, EqualRunsEvaluateInTheSameOrder) {
  problem.spec.parameters[1].values = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  problem.space = space_of(problem.spec);
  start({.check = CheckOutput::never});
  NoObserver observer;
  TuningOptions options;
  options.ahead = 4;
  std::vector<std::vector<ConfigurationId>> orders;
  for (int run = 0; run < 3; ++run) {
    const auto strategy = search::make_strategy("genetic_algorithm", problem.space, {.seed = 5}).value();
    IdSink sink;
    ASSERT_TRUE(tune(problem.space, *strategy, *problem.evaluator, sink, observer, {}, options));
    EXPECT_GE(sink.ids.size(), 27u);
    sink.ids.resize(27);  // without the final
    orders.push_back(sink.ids);
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_EQ(orders[0], orders[2]);
}

}  // namespace
}  // namespace wattune::tune
