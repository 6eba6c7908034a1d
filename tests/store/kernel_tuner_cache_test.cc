#include <gmock/gmock.h>

#include "store/load_results.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns a cache with the given entries behind a fixed head.
std::string cache_of(const std::string& entries, const std::string& objective = "\"time\"") {
  return R"({"device_name": "A100", "kernel_name": "add", "problem_size": 100, "tune_params_keys": ["x"],
"tune_params": {"x": [128, 192]}, "objective": )" +
         objective + ", \"cache\": {\n" + entries + "}\n}";
}

ResultSet parsed(const std::string& text) {
  auto results = parse_kernel_tuner_cache(text);
  EXPECT_TRUE(results) << results.error().to_string();
  return results ? *results : ResultSet();
}

const Observation& only(const ResultSet& results) { return results.trials.at(0).observation; }

// Kernel Tuner's keys name such values by Python's texts.
TEST(KernelTunerCache, ReadsListsPairsNullAndLargeNumbersAsTexts) {
  const ResultSet results = parsed(R"({"kernel_name": "add", "tune_params_keys": ["x"],
"tune_params": {"x": [[1, 2], [0.5, "a", true, null], null, 18446744073709551615, []]}, "cache": {
"a": {"x": [1, 2], "time": 1}, "b": {"x": [0.5, "a", true, null], "time": 2}, "c": {"x": null, "time": 3},
"d": {"x": 18446744073709551615, "time": 4}, "e": {"x": [], "time": 5}}})");
  const std::vector<Value> texts{"[1, 2]", "[0.5, 'a', True, None]", "None", "18446744073709551615", "[]"};
  EXPECT_EQ(results.info.parameters.at(0).values, texts);
  ASSERT_EQ(results.trials.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(results.trials[i].configuration.values(), std::vector<Value>{texts[i]});
  for (const std::string& written :
       {write_kernel_tuner_cache(results).value(), write_t4(results), write_csv(results).value()}) {
    const auto again = parse_results(written, "again");
    ASSERT_TRUE(again) << again.error().to_string();
    for (std::size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(again->trials.at(i).configuration.values(), std::vector<Value>{texts[i]});
  }
}

TEST(KernelTunerCache, KeepsTimesFailuresAndMetrics) {
  const ResultSet before = sample_results(12);
  const ResultSet after = parsed(write_kernel_tuner_cache(before).value());
  EXPECT_EQ(after.info.kernel_name, "convolution");
  EXPECT_EQ(after.info.device.name, "Some \"GPU\"");
  EXPECT_EQ(after.info.problem_size, "4096, 4096");
  EXPECT_EQ(after.info.parameters, before.info.parameters);
  ASSERT_EQ(after.trials.size(), before.trials.size());
  for (std::size_t i = 0; i < before.trials.size(); ++i) {
    const Observation& a = before.trials[i].observation;
    const Observation& b = after.trials[i].observation;
    EXPECT_EQ(after.trials[i].configuration.id(), i);
    EXPECT_EQ(after.trials[i].configuration.values(), before.trials[i].configuration.values());
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.message, b.message);
    ASSERT_EQ(a.samples.size(), b.samples.size());
    for (std::size_t k = 0; k < a.samples.size(); ++k)
      EXPECT_DOUBLE_EQ(a.samples[k].time.value(), b.samples[k].time.value());
    if (a.ok()) {
      EXPECT_DOUBLE_EQ(a.objective(), b.objective());
    }
    EXPECT_EQ(a.metrics.size(), b.metrics.size());
    EXPECT_DOUBLE_EQ(a.phases.compile.value(), b.phases.compile.value());
    EXPECT_DOUBLE_EQ(a.phases.overhead.value(), b.phases.overhead.value());
  }
}

// A maximised metric is stored as a negative objective, which is no time.
TEST(KernelTunerCache, KeepsTheTimeWhereSomethingElseWasWanted) {
  ResultSet results = sample_results(1);
  results.trials[0].observation.objective_value = -12.5;
  const ResultSet after = parsed(write_kernel_tuner_cache(results).value());
  EXPECT_DOUBLE_EQ(after.trials.at(0).observation.statistics->median.value(), 1001.0);
}

TEST(KernelTunerCache, LeavesOutWhatAReplayLacked) {
  ResultSet results = sample_results(3);
  results.trials[1].observation = {.status = Status::not_recorded};
  EXPECT_EQ(parse_kernel_tuner_cache(write_kernel_tuner_cache(results).value())->trials.size(), 2u);
}

TEST(KernelTunerCache, RefusesNegativeTimes) {
  const auto results = parse_kernel_tuner_cache(R"({"tune_params_keys":["a"],"cache":{"1":{"a":1,"time":-1.5}}})");
  ASSERT_FALSE(results);
  EXPECT_THAT(results.error().to_string(), testing::HasSubstr("configuration 1 of `cache`: the time is negative"));
}

TEST(KernelTunerCache, IsWrittenAsKernelTunerWritesIt) {
  ResultSet results = sample_results(2);
  EXPECT_EQ(write_kernel_tuner_cache(results).value(),
            R"({"device_name":"Some \"GPU\"","kernel_name":"convolution","problem_size":[4096,4096],)"
            R"("tune_params_keys":["block","scale","padding","type"],"tune_params":{"block":[16,32,64],)"
            R"("scale":[0.5,2.0],"padding":[false,true],"type":["float","float4"]},"objective":"time","objectives":[],)"
            "\n\"cache\": {\n"
            R"("16,0.5,False,float": {"block":16,"scale":0.5,"padding":false,"type":"float","time":0.001001,)"
            R"("times":[0.001,0.001001,0.001002],"compile_time":100.0,"verification_time":2.0,"benchmark_time":3.0,)"
            R"("strategy_time":0,"framework_time":0.0,"GFLOP/s":12.5,"registers":40.0,)"
            R"("timestamp":"2026-01-31 00:00:01.123456+00:00"},)"
            "\n"
            R"("32,2.0,True,float4": {"block":32,"scale":2.0,"padding":true,"type":"float4",)"
            R"("__error__":"CompilationFailedConfig","invalidity":"compile","message":"failed: compile",)"
            R"("compile_time":100.000001,"verification_time":2.0,"benchmark_time":3.0,"strategy_time":0,)"
            R"("framework_time":4.0,"timestamp":"2026-01-31 00:00:02.123456+00:00"}}
})");
}

TEST(KernelTunerCache, WritesProblemSizesAsKernelTunerKnowsThem) {
  const auto written = [](const char* size) {
    ResultSet results = sample_results(0);
    results.info.problem_size = size;
    const std::string text = write_kernel_tuner_cache(results).value();
    const std::size_t begin = text.find("\"problem_size\":") + 15;
    return text.substr(begin, text.find(",\"tune_params_keys\"") - begin);
  };
  EXPECT_EQ(written("4096"), "4096");
  EXPECT_EQ(written("4096 x 128"), "[4096,128]");
  EXPECT_EQ(written("(8, 8, 8)"), "[8,8,8]");
  EXPECT_EQ(written("n=4096"), "\"n=4096\"");
  EXPECT_EQ(written("99999999999999999999999"), "\"99999999999999999999999\"");
  EXPECT_EQ(written(""), "[]");
}

TEST(KernelTunerCache, ReadsFailuresOfAllAges) {
  const auto status = [](const std::string& rest) {
    return only(parsed(cache_of("\"128\": {\"x\": 128, " + rest + "}"))).status;
  };
  EXPECT_EQ(status(R"("__error__": "InvalidConfig")"), Status::constraints);
  EXPECT_EQ(status(R"("__error__": "CompilationFailedConfig")"), Status::compile);
  EXPECT_EQ(status(R"("__error__": "RuntimeFailedConfig")"), Status::runtime);
  EXPECT_EQ(status(R"("time": "InvalidConfig")"), Status::constraints);
  EXPECT_EQ(status(R"("time": "SomethingNew")"), Status::runtime);
  EXPECT_EQ(status(R"("time": 1e20)"), Status::runtime);
  EXPECT_EQ(status(R"("time": NaN)"), Status::runtime);
  EXPECT_EQ(status(R"("time": Infinity)"), Status::runtime);
  EXPECT_EQ(status(R"("time": 1.5)"), Status::correct);
}

TEST(KernelTunerCache, FindsAFailureUnderTheObjectivesName) {
  const char* entry = R"("128": {"x": 128, "GFLOP/s": "CompilationFailedConfig"})";
  EXPECT_EQ(only(parsed(cache_of(entry, "\"GFLOP/s\""))).status, Status::compile);
  EXPECT_EQ(only(parsed(cache_of(entry, "[\"GFLOP/s\"]"))).status, Status::compile);
}

TEST(KernelTunerCache, TakesTheRecordedTimeAsTheObjective) {
  const ResultSet results = parsed(cache_of(R"("128": {"x": 128, "time": 2.5, "times": [1, 2, 6], "GB/s": 7,
    "temperatures": [40, 41], "compile_time": 300, "framework_time": 1, "strategy_time": 2, "timestamp": "2022-12-23 12:11:26.5+00:00"})"));
  const Statistics& statistics = *only(results).statistics;
  EXPECT_EQ(statistics.median.value(), 2.5e6);
  EXPECT_EQ(statistics.minimum.value(), 1e6);
  EXPECT_EQ(statistics.mean.value(), 3e6);
  EXPECT_FALSE(statistics.confidence);
  EXPECT_EQ(only(results).samples.size(), 3u);
  EXPECT_THAT(only(results).metrics, ElementsAre(Metric{"GB/s", 7.0, ""}));
  EXPECT_EQ(only(results).phases.compile.value(), 3e8);
  EXPECT_EQ(only(results).phases.overhead.value(), 3e6);  // the sum of framework and search
  // Equals 2022-12-23, day 19349 of the epoch, and 12:11:26.5, which is 43886.5 s.
  EXPECT_EQ(results.trials[0].finished_at.time_since_epoch(),
            std::chrono::hours(24 * 19349) + std::chrono::milliseconds(43886500));
}

TEST(KernelTunerCache, AcceptsPythonsNumbersOutsideStringsOnly) {
  const ResultSet results =
      parsed(cache_of(R"("128": {"x": 128, "time": 1, "a": NaN, "b": -Infinity, "c": 3, "note": "NaN \" Infinity"})"));
  EXPECT_THAT(only(results).metrics, ElementsAre(Metric{"c", 3.0, ""}));
}

TEST(KernelTunerCache, RepairsAFileThatWasNotClosed) {
  const std::string whole = cache_of("\"128\": {\"x\": 128, \"time\": 1},\n\"192\": {\"x\": 192, \"time\": 2}");
  const std::size_t second = whole.find("\"192\"");
  EXPECT_EQ(parsed(whole).trials.size(), 2u);
  EXPECT_EQ(parsed(whole.substr(0, whole.size() - 3)).trials.size(), 2u);
  EXPECT_EQ(parsed(whole.substr(0, whole.size() - 3) + ",").trials.size(), 2u);
  for (std::size_t size = second - 1; size < whole.size() - 4; ++size)
    EXPECT_EQ(parsed(whole.substr(0, size)).trials.size(), 1u) << whole.substr(0, size);
}

TEST(KernelTunerCache, SaysWhereAFileIsWrong) {
  const auto error = [](const std::string& text) {
    const auto results = parse_kernel_tuner_cache(text, "c.json");
    return results ? std::string("no error") : results.error().to_string();
  };
  EXPECT_THAT(error("{\n \"cache\": {]}"), HasSubstr("c.json:2:12: not valid JSON:"));
  EXPECT_THAT(error("{\n \"cache\": 1e999}"),
              HasSubstr("c.json:2:11: not valid JSON: a number is too large for a double: `1e999`"));
  EXPECT_THAT(error("{\n \"1e999\\\"\": [\"1e999\", 0.1e9, -1e9,\n 1e999]}"), HasSubstr("c.json:3:2: not valid JSON"))
      << "texts, and numbers that only contain it, are not meant";
  EXPECT_EQ(error("[]"), "c.json: a result file must be one JSON object");
  EXPECT_EQ(error("{}"), "c.json: not a cache of Kernel Tuner: it has no `cache`");
  EXPECT_EQ(error("{\"cache\": {}}"), "c.json: `tune_params_keys` is missing");
  EXPECT_EQ(error("{\"cache\": {\"a\": 1}}"), "c.json: `cache` may only hold objects");
  EXPECT_EQ(error(cache_of(R"("1": {"x": 128, "time": 1}, "2": {"time": 1})")),
            "c.json: configuration 2 of `cache`: `x` is missing");
  EXPECT_EQ(
      error(cache_of(R"("1": {"x": {"y": 1}, "time": 1})")),
      "c.json: configuration 1 of `cache`: a value of `x` must be a number, true, false, null, text or a list, not "
      "object");
  EXPECT_EQ(error(cache_of(R"("1": {"x": 1, "score": 1})", "\"score\"")),
            "c.json: configuration 1 of `cache`: there is no `time`; the file ranks by `score`");
}

}  // namespace
}  // namespace wattune::store
