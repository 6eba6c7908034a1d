#include "score/interface/recorded_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "score/recorded.h"

namespace wattune::inline v0_1::score {
namespace {

using testing::HasSubstr;
using tune::ReplayClock;

// Returns 10 x 10 configurations of 1 to 100 ns that cost 2 s each, the last one failed.
ResultSet hundred() {
  std::vector<Observation> observations;
  for (int i = 1; i < 100; ++i) observations.push_back(correct(i, 2.0));
  observations.push_back(failed(2.0));
  return grid(observations, 10);
}

class RecordedRun : public testing::Test {
 protected:
  ScoredSpace scored(ReplayClock clock) const { return ScoredSpace::of("hundred", space_, recording_, clock).value(); }

  // Returns an evaluation of configuration `i` that took this long in its own run.
  static Trial evaluation(int i, double seconds) {
    static const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "y"});
    return {Configuration(0, names, {i % 10, i / 10}), correct(1.0, seconds), {}};
  }

  static ResultSet run_of(std::vector<Trial> trials) {
    ResultSet run = recorded_;
    run.trials = std::move(trials);
    return run;
  }

  // Returns a run of 51 and 31 ns, the first again, one outside the space, 21 ns, and the one that fails.
  static ResultSet with_revisit() {
    return run_of({evaluation(50, 3.0), evaluation(30, 3.0), evaluation(50, 1.0), evaluation(100, 0.5),
                   evaluation(20, 3.0), evaluation(99, 4.0)});
  }

  // Returns the points, with seconds rounded to the microsecond, since they are sums.
  static std::vector<std::pair<double, double>> points(const SearchRun& run) {
    std::vector<std::pair<double, double>> points;
    for (const RunPoint& point : run.points) points.emplace_back(std::round(point.seconds * 1e6) / 1e6, point.best);
    return points;
  }

  static inline const ResultSet recorded_ = hundred();
  space::SearchSpace space_ = tune::recorded_space(recorded_).value();
  tune::Recording recording_ = tune::Recording::match(space_, recorded_).value();
};

using Points = std::vector<std::pair<double, double>>;

TEST_F(RecordedRun, CountsEachConfigurationOnceByEvaluations) {
  const SearchRun run = recorded_run(scored(ReplayClock::evaluations), with_revisit()).value();
  EXPECT_EQ(points(run), (Points{{1, 51}, {2, 31}, {3, 21}, {4, 21}}));
  EXPECT_EQ(run.evaluations, 4u);
  EXPECT_EQ(run.not_recorded, 0u);
}

TEST_F(RecordedRun, ChargesTheRecordedCostOnceOnTheCleanClock) {
  const SearchRun run = recorded_run(scored(ReplayClock::recorded), with_revisit()).value();
  EXPECT_EQ(points(run), (Points{{2, 51}, {4, 31}, {6, 21}, {8, 21}}));
}

TEST_F(RecordedRun, ChargesItsOwnTimesRepeatsIncludedOnTheRecordedClock) {
  const SearchRun run = recorded_run(scored(ReplayClock::recorded_and_search), with_revisit()).value();
  EXPECT_EQ(points(run), (Points{{3, 51}, {6, 31}, {7, 31}, {7.5, 31}, {10.5, 21}, {14.5, 21}}));
  EXPECT_EQ(run.evaluations, 6u);
}

// The evaluations above all claim 1 ns and to be correct.
TEST_F(RecordedRun, BelievesTheRecordingNotTheRun) {
  const ScoredSpace space = scored(ReplayClock::evaluations);
  EXPECT_TRUE(recorded_run(space, run_of({evaluation(99, 1.0)})).value().points.empty());
}

TEST_F(RecordedRun, EndsWithTheBudget) {
  const ScoredSpace space = scored(ReplayClock::evaluations);
  std::vector<Trial> all;
  for (int i = 0; i < 100; ++i) all.push_back(evaluation(i, 1.0));
  const SearchRun run = recorded_run(space, run_of(all)).value();
  ASSERT_LT(space.baseline.budget(), 99.0);
  EXPECT_GE(run.points.back().seconds, space.baseline.budget());
  EXPECT_LT(run.points.back().seconds, space.baseline.budget() + 1);
}

TEST_F(RecordedRun, KnowsWhatTheRecordingLacks) {
  ResultSet less = recorded_;
  less.trials.erase(less.trials.begin() + 50);
  const tune::Recording partial = tune::Recording::match(space_, less).value();
  const ScoredSpace space = ScoredSpace::of("partial", space_, partial, ReplayClock::recorded).value();
  const SearchRun run = recorded_run(space, with_revisit()).value();
  EXPECT_EQ(run.not_recorded, 1u);
  EXPECT_EQ(points(run), (Points{{4, 31}, {6, 21}, {8, 21}}));
}

TEST_F(RecordedRun, SaysWhatIsWrong) {
  const auto message = [](const auto& result) { return result.error().to_string(); };
  const ScoredSpace timed = scored(ReplayClock::recorded_and_search);
  EXPECT_THAT(message(recorded_run(timed, run_of({}))), HasSubstr("holds no results"));
  Trial free = evaluation(1, 1.0);
  free.observation = failed(0.0);
  EXPECT_THAT(message(recorded_run(timed, run_of({free}))), HasSubstr("the run holds no times"));
  ResultSet other = grid({correct(1, 1), correct(2, 1)}, 2);
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "z"});
  for (Trial& trial : other.trials) trial.configuration = Configuration(0, names, {0, 0});
  EXPECT_THAT(message(recorded_run(timed, other)), HasSubstr("lacks a parameter: `y`"));
}

TEST_F(RecordedRun, IsScoredAsStrategiesAre) {
  const std::vector<ScoredSpace> spaces = {scored(ReplayClock::evaluations)};
  std::vector<Trial> best_first;
  for (int i = 0; i < 60; ++i) best_first.push_back(evaluation(i, 1.0));
  std::vector<Trial> worst_first(best_first.rbegin(), best_first.rend());
  const auto scored = [&](const std::vector<Trial>& trials) {
    const SearchRun run = recorded_run(spaces[0], run_of(trials)).value();
    return score_runs(spaces, "made up", {{run, run, run}}, {.resamples = 20}).value();
  };
  EXPECT_DOUBLE_EQ(scored(best_first).score.value, 1.0);
  EXPECT_EQ(scored(best_first).recorded_runs, 3u);
  EXPECT_DOUBLE_EQ(scored(best_first).spaces[0].optimum_found, 1.0);
  EXPECT_LT(scored(worst_first).score.value, 0.0);

  const auto message = [](const auto& result) { return result.error().to_string(); };
  EXPECT_EQ(message(score_runs(spaces, "made up", {{}}, {})), "hundred: no run on this space: `made up`");
  EXPECT_THAT(message(score_runs(spaces, "made up", {{SearchRun{}}}, {})),
              HasSubstr("no run of made up found a correct configuration"));
  EXPECT_EQ(message(score_runs({}, "made up", {}, {})), "no space to score on");
}

}  // namespace
}  // namespace wattune::score
