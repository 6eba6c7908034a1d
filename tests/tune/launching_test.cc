// Runs that are timed in graphs, on a fake device whose host takes 2 us to send a launch or a graph.
#include <gmock/gmock.h>

#include <algorithm>

#include "tune/interface/describe_run.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr Nanoseconds kSending(2000.0);
const EvaluatorOptions kInGraphs{.launching = Launching::graph};

// Returns a problem whose kernel computes `scale` and takes 10 ns for each work-item of a work-group.
struct GraphProblem : Problem {
  explicit GraphProblem(KernelSpec kernel = scale_spec())
      : Problem(std::move(kernel), [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
          WATTUNE_TRY(scale(launch));
          return Nanoseconds(10.0 * static_cast<double>(launch.geometry().group_size[0]));
        }) {
    device.add_graphs(kSending);
  }
};

TEST(Launching, AloneTheTimeOfSendingIsPartOfEachTime) {
  GraphProblem problem;
  ASSERT_TRUE(problem.start());
  EXPECT_THAT(problem.evaluate(8, 0).value().samples, Each(Sample{Nanoseconds(2080.0)}));
}

// One run alone takes 2.08 us, so that a graph of a millisecond has 481 runs; their share of the 2 us is 4 ns.
TEST(Launching, InAGraphItIsSharedByManyRuns) {
  GraphProblem problem;
  ASSERT_TRUE(problem.start(kInGraphs));
  const Observation observation = problem.evaluate(8, 0).value();
  EXPECT_EQ(observation.status, Status::correct) << observation.message;
  EXPECT_TRUE(observation.verified);
  ASSERT_TRUE(observation.statistics);
  EXPECT_NEAR(observation.statistics->median.value(), 80.0 + 2000.0 / 481, 1e-6);
}

TEST(Launching, AGraphHasAtMost1024LaunchesAndAtLeastOneRun) {
  KernelSpec spec = scale_spec();
  spec.steps = {{.function = "scale",
                 .arguments = {0, 1, 2},
                 .geometry = spec.geometry,
                 .condition = {},
                 .repeat = at_line("1500", 30)}};
  GraphProblem problem(spec);
  ASSERT_TRUE(problem.start(kInGraphs));
  const int before = problem.device.counters().launches;
  const Observation observation = problem.evaluate(8, 0).value();
  ASSERT_TRUE(observation.statistics) << observation.message;
  EXPECT_NEAR(observation.statistics->median.value(), 1500 * 80.0 + 2000.0, 1e-6);
  EXPECT_EQ((problem.device.counters().launches - before) % 1500, 0);
}

// An argument that a kernel overwrites begins each graph with its first contents.
TEST(Launching, ArgumentsAreRestoredBeforeEachGraph) {
  KernelSpec spec = scale_spec();
  spec.arguments[0] = vector_argument("y", ArgumentAccess::read_write, FillConstant{1.0});
  std::vector<float> seen;
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    seen.push_back(launch.elements<float>(0)[0]++);
    return Nanoseconds(100e3);
  });
  problem.device.add_graphs(kSending);
  ASSERT_TRUE(problem.start({.check = CheckOutput::never, .launching = Launching::graph}));
  ASSERT_TRUE(problem.evaluate(8, 0));
  const auto runs = static_cast<float>(std::ranges::max(seen));
  EXPECT_EQ(runs, 10.0f) << "a graph of a millisecond has ten of them";
  EXPECT_GE(std::ranges::count(seen, 1.0f), 7) << "each of seven samples begins anew";
}

// In a final the buffers of contestants take each other's place, so that their graphs are made anew.
TEST(Launching, GraphsFollowTheBuffersInAContest) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[1].kind).length = at_line("n + block", 10);
  Problem problem(spec, [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    const auto x = launch.elements<float>(1);
    std::ranges::copy(x.first(64), launch.elements<float>(0).begin());
    const bool own = x.size() == 64 + launch.geometry().group_size[0];
    return own ? Result<Nanoseconds>(Nanoseconds(1000.0)) : Error(ErrorCode::internal, "another's buffer");
  });
  problem.device.add_graphs(kSending);
  ASSERT_TRUE(problem.start(kInGraphs));
  std::vector<Configuration> two;
  for (const int block : {8, 16}) {
    const std::vector<std::pair<std::string, Value>> values{{"block", block}, {"mode", 0}};
    two.push_back(problem.space.configuration(problem.space.find(values).value()));
  }
  const auto contest = problem.evaluator->hold_contest(two, {.warm_up = Nanoseconds()});
  ASSERT_TRUE(contest) << contest.error().to_string();
  for (const Observation& each : contest->observations) EXPECT_EQ(each.status, Status::correct) << each.message;
}

// Races may begin with the runs that showed that the kernel works, unless these were launched in another way.
TEST(Launching, SamplesOfOtherLaunchesAreNotMixedIn) {
  GraphProblem problem;
  const std::unique_ptr<measure::MeasurePolicy> racing = measure::make_gated({.warm_up = Nanoseconds()});
  problem.evaluator = make_evaluator(problem.spec, problem.space, problem.device, *racing,
                                     {.check = CheckOutput::winners, .launching = Launching::graph})
                          .value();
  for (const int block : {8, 16})
    for (const Sample& sample : problem.evaluate(block, 0).value().samples) EXPECT_LT(sample.time, Nanoseconds(200.0));
}

TEST(Launching, ObserversSeeRunsThatAreLaunchedByThemselves) {
  struct Counting : Observer {
    std::vector<std::string> metrics() const override { return {"slowest"}; }
    Result<void> begin(const Configuration&) override { return {}; }
    Result<std::vector<Metric>> end(std::span<const Sample> runs) override {
      const Sample slowest = std::ranges::max(runs, {}, &Sample::time);
      return std::vector<Metric>{{"slowest", slowest.time.value(), "ns"}};
    }
  };
  GraphProblem problem;
  EvaluatorOptions options = kInGraphs;
  options.observers = {std::make_shared<Counting>()};
  ASSERT_TRUE(problem.start(options));
  const Observation observation = problem.evaluate(8, 0).value();
  const auto slowest = std::ranges::find(observation.metrics, "slowest", &Metric::name);
  ASSERT_NE(slowest, observation.metrics.end());
  EXPECT_EQ(slowest->value, 2080.0);
}

TEST(Launching, IsRefusedWhereItMeansNothing) {
  const auto refused = [](const EvaluatorOptions& options, bool has_graphs) {
    Problem problem;
    if (has_graphs) problem.device.add_graphs(kSending);
    const Result<void> started = problem.start(options);
    return started ? std::string() : started.error().to_string();
  };
  EXPECT_THAT(refused(kInGraphs, false), HasSubstr("has no graphs of launches (launch the kernels each by itself)"));
  EXPECT_EQ(refused(kInGraphs, true), "");
  EvaluatorOptions cold = kInGraphs;
  cold.cache = Cache::cold;
  EXPECT_THAT(refused(cold, true), HasSubstr("in a graph a kernel runs again and again, so caches cannot be cold"));
  EvaluatorOptions watching = kInGraphs;
  watching.observe = {BoardMetric::power};
  EXPECT_THAT(refused(watching, true), HasSubstr("what a board tells is not measured beside graphs: `power`"));
}

TEST(Launching, IsAPartOfTheIdentity) {
  const auto policy = quick_policy();
  EXPECT_EQ(measuring_identity(kInGraphs, *policy).at("launch mode"), "graph");
  EXPECT_FALSE(measuring_identity({}, *policy).contains("launch mode"));
}

}  // namespace
}  // namespace wattune::tune
