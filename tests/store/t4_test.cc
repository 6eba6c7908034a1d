#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::ElementsAre;

std::string t4_of(const std::string& result, const std::string& head = "") {
  return "{" + head + "\"results\": [" + result + "]}";
}

Result<ResultSet> parse_one(const std::string& rest, const std::string& head = "") {
  return parse_t4(t4_of(R"({"configuration": {"x": 128}, "correctness": 1, )" + rest + "}", head), "r.json");
}

double objective_of(const std::string& rest, const std::string& head = "") {
  const auto results = parse_one(rest, head);
  EXPECT_TRUE(results) << results.error().to_string();
  return results ? results->trials.at(0).observation.objective() : 0.0;
}

TEST(T4, KeepsTimesFailuresAndMetrics) {
  const ResultSet before = sample_results(12);
  const auto after = parse_t4(write_t4(before));
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_EQ(after->info.kernel_name, "convolution");
  EXPECT_EQ(after->info.device.name, "Some \"GPU\"");
  EXPECT_EQ(after->info.problem_size, "4096, 4096");
  ASSERT_EQ(after->trials.size(), before.trials.size());
  for (std::size_t i = 0; i < before.trials.size(); ++i) {
    const Observation& a = before.trials[i].observation;
    const Observation& b = after->trials[i].observation;
    EXPECT_EQ(after->trials[i].configuration.values(), before.trials[i].configuration.values());
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.samples.size(), b.samples.size());
    EXPECT_EQ(a.metrics, b.metrics);
    if (a.ok()) {
      EXPECT_DOUBLE_EQ(a.objective(), b.objective());
    }
    EXPECT_DOUBLE_EQ(a.phases.compile.value(), b.phases.compile.value());
    EXPECT_DOUBLE_EQ(a.phases.check.value(), b.phases.check.value());
    EXPECT_DOUBLE_EQ(a.phases.measure.value(), b.phases.measure.value());
    EXPECT_DOUBLE_EQ(a.phases.overhead.value(), b.phases.overhead.value());
  }
}

TEST(T4, KeepsUncertaintiesAndKnowsKernelTunersClocks) {
  const auto results =
      parse_t4(t4_of(R"({"configuration": {"nvml_gr_clock": 1410}, "invalidity": "correct", "times": {},
    "measurements": [{"name": "time", "value": 1, "unit": "ms"},
                     {"name": "energy", "value": 2, "unit": "J", "uncertainty": 0.25}]})"));
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_THAT(results->trials[0].observation.metrics, ElementsAre(Metric{"energy", 2.0, "J", 0.25}));
  EXPECT_EQ(results->info.parameters[0].role, ParameterRole::graphics_clock);
  EXPECT_EQ(parse_t4(write_t4(*results))->trials[0].observation.metrics, results->trials[0].observation.metrics);
}

// A maximised metric is stored as a negative objective, which is no time.
TEST(T4, KeepsTheTimeWhereSomethingElseWasWanted) {
  ResultSet results = sample_results(1);
  results.trials[0].observation.objective_value = -12.5;
  const auto after = parse_t4(write_t4(results));
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_DOUBLE_EQ(after->trials.at(0).observation.statistics->median.value(), 1001.0);
}

TEST(T4, LeavesOutWhatAReplayLacked) {
  ResultSet results = sample_results(3);
  results.trials[1].observation = {.status = Status::not_recorded};
  EXPECT_EQ(parse_t4(write_t4(results))->trials.size(), 2u);
}

TEST(T4, FollowsItsSchema) {
  const auto json = nlohmann::json::parse(write_t4(sample_results(6)));
  EXPECT_EQ(json["schema_version"], "1.0.0");
  EXPECT_EQ(json["metadata"]["timeunit"], "milliseconds");
  ASSERT_EQ(json["results"].size(), 6u);
  const auto& correct = json["results"][0];
  EXPECT_EQ(correct["timestamp"], "2026-01-31 00:00:01.123456+00:00");
  EXPECT_EQ(correct["configuration"].dump(), R"({"block":16,"padding":false,"scale":0.5,"type":"float"})");
  EXPECT_EQ(correct["objectives"].dump(), R"(["time"])");
  EXPECT_EQ(correct["times"]["compilation"], 100.0);
  EXPECT_EQ(correct["times"]["compilation_time"], 100.0);
  EXPECT_EQ(correct["times"]["runtimes"].dump(), "[0.001,0.001001,0.001002]");
  EXPECT_EQ(correct["invalidity"], "correct");
  EXPECT_EQ(correct["correctness"], 1);
  EXPECT_EQ(correct["measurements"][0].dump(), R"({"name":"time","unit":"ms","value":0.001001})");
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(json["results"][i]["invalidity"], std::string(to_string(kAllStatuses[i])));
    EXPECT_EQ(json["results"][i]["correctness"], 0);
  }
}

TEST(T4, HeedsTheUnitOfTime) {
  const char* result = R"("invalidity": "correct", "times": {"runtimes": [4, 2, 6]})";
  EXPECT_EQ(objective_of(result), 4e6);
  EXPECT_EQ(objective_of(result, R"("metadata": {"timeunit": "miliseconds"}, )"), 4e6);
  EXPECT_EQ(objective_of(result, R"("metadata": {"timeunit": "milliseconds"}, )"), 4e6);
  EXPECT_EQ(objective_of(result, R"("metadata": {"timeunit": "microseconds"}, )"), 4e3);
  EXPECT_EQ(objective_of(result, R"("metadata": {"timeunit": "nanoseconds"}, )"), 4.0);
  EXPECT_EQ(objective_of(result, R"("metadata": {"timeunit": "seconds"}, )"), 4e9);
  EXPECT_EQ(parse_one(result, R"("metadata": {"timeunit": "years"}, )").error().to_string(),
            "r.json: `timeunit` is not a unit of time: `years`");
}

TEST(T4, PrefersTheMeasuredTimeToTheRuns) {
  EXPECT_EQ(objective_of(R"("invalidity": "correct", "times": {"runtimes": [4, 2, 6]},
      "measurements": [{"name": "time", "value": 3, "unit": ""}])"),
            3e6);
  EXPECT_EQ(objective_of(R"("invalidity": "correct", "times": {"runtimes": [4, 2, 6]},
      "measurements": [{"name": "time", "value": 3, "unit": "s"}])"),
            3e9);
}

TEST(T4, ReadsAnObjectiveWithAUnitOfTimeAsTheTime) {
  const auto results = parse_one(R"("invalidity": "correct", "times": {"runtimes": [4], "compilation_time": 7},
      "objectives": ["TotalDuration"], "measurements": [
        {"name": "dram", "value": 9, "unit": "B"}, {"name": "TotalDuration", "value": 5, "unit": "Microseconds"}])");
  ASSERT_TRUE(results) << results.error().to_string();
  const Observation& observation = results->trials[0].observation;
  EXPECT_EQ(observation.objective(), 5e3);
  EXPECT_EQ(observation.samples.at(0).time.value(), 4e3);
  EXPECT_EQ(observation.phases.compile.value(), 7e3);
  EXPECT_THAT(observation.metrics, ElementsAre(Metric{"dram", 9, "B"}));
}

TEST(T4, CountsTheSearchsOwnTimeAsOverhead) {
  const auto results = parse_one(R"("invalidity": "runtime", "times": {"framework": 3, "search_algorithm": 4})");
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->trials[0].observation.phases.overhead.value(), 7e6);
}

TEST(T4, TakesNoOtherObjectiveForATime) {
  const auto results = parse_one(R"("invalidity": "correct", "times": {"runtimes": [4]}, "objectives": ["GFLOP/s"],
      "measurements": [{"name": "GFLOP/s", "value": 900, "unit": "GFLOP/s"}])");
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->trials[0].observation.statistics->median.value(), 4e6);
  EXPECT_EQ(results->trials[0].observation.objective(), -900.0);
}

TEST(T4, ReadsFailuresAsTheHubWritesThem) {
  const auto results = parse_one(R"("invalidity": "runtime", "times": {"compilation": 5, "validation": 0},
      "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}])");
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->trials[0].observation.status, Status::runtime);
  EXPECT_EQ(results->trials[0].observation.message, "RuntimeFailedConfig");
}

TEST(T4, CollectsTheValuesOfItsParameters) {
  const auto result = [](const char* x, const char* mode) {
    return std::string(R"({"configuration": {"x": )") + x + R"(, "mode": ")" + mode +
           R"("}, "times": {}, "invalidity": "timeout", "correctness": 0})";
  };
  const auto results = parse_t4(t4_of(result("8", "b") + "," + result("2", "a") + "," + result("8", "a")));
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->info.parameters,
            (std::vector<Parameter>{{.name = "x", .values = {2, 8}}, {.name = "mode", .values = {"b", "a"}}}));
}

TEST(T4, ReadsAnEmptyFile) { EXPECT_TRUE(parse_t4(t4_of(""))->trials.empty()); }

TEST(T4, SaysWhichResultIsWrong) {
  const auto error = [](const Result<ResultSet>& results) {
    return results ? std::string("no error") : results.error().to_string();
  };
  EXPECT_EQ(error(parse_t4("{}", "r.json")), "r.json: not a T4 file: it has no `results`");
  EXPECT_EQ(error(parse_t4("{\"results\": [1]}", "r.json")), "r.json: `results` may only hold objects");
  EXPECT_EQ(error(parse_one(R"("times": {})")), "r.json: result 1: `invalidity` is missing");
  EXPECT_EQ(error(parse_one(R"("times": {}, "invalidity": "odd")")),
            "r.json: result 1: `invalidity` is not one of T4's: `odd`");
  EXPECT_EQ(error(parse_one(R"("times": {}, "invalidity": "correct")")),
            "r.json: result 1: a correct result has neither a measured time nor `runtimes`");
  EXPECT_EQ(error(parse_one(R"("times": {"runtimes": [1e308]}, "invalidity": "correct")")),
            "r.json: result 1: the time is too large");
  EXPECT_EQ(error(parse_one(R"("times": {"runtimes": [1]}, "invalidity": "correct"},
      {"configuration": {"y": 1}, "times": {"runtimes": [1]}, "invalidity": "correct")")),
            "r.json: result 2: `x` is missing");
}

}  // namespace
}  // namespace wattune::store
