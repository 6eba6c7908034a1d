// The winner of results: the same configuration wins with the same objective, whatever format the results pass through.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "store/csv.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

struct Measured {
  double searched = 0.0;  // ns, which also stands for joules
  double in_final = 0.0;
  FinalPlace place = FinalPlace::none;
};

// The search found 0 faster than 1, but 1 won the final. 2 was in no final, and took less time than both took there.
const std::vector<Measured> kMeasured = {{1000, 3000, FinalPlace::behind},
                                         {1100, 2000, FinalPlace::winner},
                                         {1500, 0, FinalPlace::none},
                                         {1600, 2100, FinalPlace::tied}};

double signed_value(double value, const Objective& objective) { return objective.maximize ? -value : value; }

// Returns results. The metric is 10,000 less the measured value if it is maximised.
ResultSet measured(const std::vector<Objective>& objectives) {
  ResultSet results = sample_results(0);
  results.info.objectives = objectives;
  for (std::size_t i = 0; i < kMeasured.size(); ++i) {
    Trial trial = sample_trial(6 * static_cast<int>(i));  // a correct one
    const Measured& each = kMeasured[i];
    Observation& observation = trial.observation;
    observation.final_place = each.place;
    const double time = each.place == FinalPlace::none ? each.searched : each.in_final;
    observation.samples = {{Nanoseconds(time)}};
    observation.statistics =
        Statistics{Nanoseconds(time), Nanoseconds(time), Nanoseconds(time), Nanoseconds(time), Nanoseconds(time), {}};
    if (each.place != FinalPlace::none)
      observation.in_search = SearchFigures{Nanoseconds(each.searched), each.searched};
    if (!objectives.empty()) {
      const Objective& first = objectives.front();
      const auto value = [&](double figure) { return first.maximize ? 1e4 - figure : figure; };
      observation.metrics = {{first.metric, value(time), ""}};
      observation.objective_value = signed_value(value(time), first);
      if (observation.in_search) observation.in_search->objective = signed_value(value(each.searched), first);
    }
    trial.finished_at = second_of_2026(each.place == FinalPlace::none ? static_cast<int>(i) : 30);
    results.trials.push_back(std::move(trial));
  }
  return results;
}

using Passage = Result<ResultSet> (*)(const ResultSet&);

Result<ResultSet> through_csv(const ResultSet& results) { return read_csv(write_csv(results).value(), "r.csv"); }
Result<ResultSet> through_t4(const ResultSet& results) { return parse_t4(write_t4(results)); }
Result<ResultSet> through_cache(const ResultSet& results) {
  return parse_kernel_tuner_cache(write_kernel_tuner_cache(results).value());
}
constexpr Passage kPassages[] = {through_csv, through_t4, through_cache};

void expect_same_winner(const ResultSet& back, const ResultSet& results) {
  EXPECT_EQ(back.info.objectives, results.info.objectives);
  ASSERT_NE(back.best(), nullptr);
  EXPECT_EQ(back.best()->configuration.values(), results.best()->configuration.values());
  ASSERT_EQ(back.trials.size(), results.trials.size());
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    const Observation& one = results.trials[i].observation;
    const Observation& other = back.trials[i].observation;
    EXPECT_EQ(other.final_place, one.final_place);
    EXPECT_EQ(other.objective(), one.objective());
    EXPECT_EQ(other.statistics->median, one.statistics->median);
    EXPECT_EQ(other.search_figures(), one.search_figures());
    EXPECT_EQ(other.in_search.has_value(), one.in_search.has_value());
    EXPECT_EQ(other.objective_value.has_value(), one.objective_value.has_value());
    if (!results.info.objectives.empty()) {
      EXPECT_EQ(other.metrics.at(0).value, one.metrics.at(0).value);
    }
  }
}

TEST(Winner, ComesBackFromEveryFormat) {
  const std::vector<std::vector<Objective>> all = {
      {}, {{"energy", false}}, {{"GFLOP/s", true}}, {{"odd name", true}, {"time", false}}, {{"energy", false, 0.5}}};
  for (const std::vector<Objective>& objectives : all) {
    const ResultSet results = measured(objectives);
    ASSERT_EQ(results.best(), &results.trials[1]);
    for (const Passage first : kPassages)
      for (const Passage second : kPassages) {
        const auto once = first(results);
        ASSERT_TRUE(once) << once.error().to_string();
        const auto twice = second(*once);
        ASSERT_TRUE(twice) << twice.error().to_string();
        expect_same_winner(*once, results);
        expect_same_winner(*twice, results);
      }
  }
}

// The times of the search compare with each other; those of the final are in separate columns.
TEST(Winner, TimesOfTheFinalHaveAPlaceOfTheirOwn) {
  const ResultSet results = measured({});
  const std::string table = write_csv(results).value();
  EXPECT_THAT(table, HasSubstr(",correct,1100,2000,"));
  EXPECT_THAT(table, HasSubstr(",,winner,2000,,"));
  EXPECT_THAT(write_t4(results), HasSubstr("{\"name\":\"time\",\"value\":0.0011,"));
  EXPECT_THAT(write_kernel_tuner_cache(results).value(), HasSubstr("\"time\":0.0011,"));
}

TEST(Winner, NoObjectiveIsNoTime) {
  ResultSet results = measured({{"energy", false}});
  Observation& without = results.trials[2].observation;
  without.metrics.clear();
  without.objective_value = std::numeric_limits<double>::infinity();
  for (const Passage passage : kPassages) {
    const auto back = passage(results);
    ASSERT_TRUE(back) << back.error().to_string();
    EXPECT_TRUE(back->trials[2].observation.ok());
    EXPECT_FALSE(back->trials[2].observation.has_objective());
    EXPECT_EQ(back->best()->configuration.values(), results.trials[1].configuration.values());
  }
}

// --- Files of other programs

ResultSet cache_by(const std::string& objective) {
  return parse_kernel_tuner_cache(R"({"tune_params_keys":["bx"],"objective":)" + objective + R"(,"cache":{
"32":{"bx":32,"time":1.0,"energy":3.0,"GFLOP/s":10.0},
"64":{"bx":64,"time":0.5,"energy":5.0,"GFLOP/s":20.0},
"96":{"bx":96,"time":0.1}}})")
      .value();
}

TEST(Winner, OfACacheIsByItsOwnObjective) {
  const ResultSet energy = cache_by("\"energy\"");
  EXPECT_EQ(energy.info.objectives, (std::vector<Objective>{{"energy", false}}));
  EXPECT_EQ(energy.best()->configuration.to_string(), "bx=32");
  EXPECT_EQ(energy.best()->observation.objective(), 3.0);
  EXPECT_FALSE(energy.trials[2].observation.has_objective());
  const ResultSet rate = cache_by(R"(["GFLOP/s","time"])");
  EXPECT_EQ(rate.info.objectives, (std::vector<Objective>{{"GFLOP/s", true}, {"time", false}}));
  EXPECT_EQ(rate.best()->configuration.to_string(), "bx=64");
  EXPECT_EQ(cache_by("\"time\"").best()->configuration.to_string(), "bx=96");
  EXPECT_TRUE(cache_by("\"time\"").info.objectives.empty());
}

TEST(Winner, ACacheByWhatNothingHasIsRefused) {
  const auto refused = parse_kernel_tuner_cache(
      R"({"tune_params_keys":["bx"],"objective":"joules","cache":{"32":{"bx":32,"time":1.0}}})", "c.json");
  EXPECT_EQ(refused.error().to_string(), "c.json: the file ranks by `joules`, which no configuration has");
}

TEST(Winner, OfT4IsByItsOwnObjective) {
  const auto result = [](int x, double time, double energy) {
    return fmt::format(R"({{"configuration":{{"x":{}}},"objectives":["energy"],"invalidity":"correct","times":{{}},
"measurements":[{{"name":"time","value":{},"unit":"ms"}},{{"name":"energy","value":{},"unit":"J"}}]}})",
                       x, time, energy);
  };
  const ResultSet results = parse_t4("{\"results\":[" + result(1, 1.0, 3.0) + "," + result(2, 0.5, 5.0) + "]}").value();
  EXPECT_EQ(results.info.objectives, (std::vector<Objective>{{"energy", false}}));
  EXPECT_EQ(results.best()->configuration.to_string(), "x=1");
}

TEST(Winner, CachesNameTheObjective) {
  EXPECT_THAT(write_kernel_tuner_cache(measured({{"energy", false}})).value(), HasSubstr("\"objective\":\"energy\""));
  EXPECT_THAT(write_kernel_tuner_cache(measured({{"energy", false}, {"time", false}})).value(),
              HasSubstr("\"objective\":[\"energy\",\"time\"]"));
  EXPECT_THAT(write_t4(measured({{"energy", false}})), HasSubstr("\"objectives\":[\"energy\"]"));
}

TEST(Winner, CachesRefuseNamesOfTheirOwnMembers) {
  for (const char* name : {"time", "times", "timestamp", "compile_time"}) {
    ResultSet results = measured({});
    results.trials.resize(1);
    results.trials[0].configuration =
        Configuration(0, std::make_shared<const std::vector<std::string>>(std::vector<std::string>{name}), {7});
    EXPECT_THAT(write_kernel_tuner_cache(results).error().to_string(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace wattune::store
