// `wattune tune --device replay:FILE` and `wattune score`, which need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <utility>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns a cache of Kernel Tuner: x from 0 to 39 and y from 0 to 4, 10 ms and more, compiled in 500 ms each. The
// configurations with x = 39 failed.
std::string cache(double offset_ms = 10.0) {
  std::string text =
      R"({"device_name":"Old GPU","kernel_name":"grid","problem_size":64,"tune_params_keys":["x","y"],"objective":"time","cache":{)";
  for (int x = 0; x < 40; ++x)
    for (int y = 0; y < 5; ++y) {
      text += fmt::format("{}\n\"{},{}\":{{\"x\":{},\"y\":{},", x + y == 0 ? "" : ",", x, y, x, y);
      text += x == 39 ? std::string("\"__error__\":\"RuntimeFailedConfig\",")
                      : fmt::format("\"time\":{0},\"times\":[{0}],", offset_ms + std::abs(x - 20) + y);
      text += R"("compile_time":500,"verification_time":0,"benchmark_time":20,"framework_time":1})";
    }
  return text + "}}";
}

class Replayed : public testing::Test {
 protected:
  Replayed() { folder_.write("grid.json", cache()); }

  TempFolder folder_;
};

TEST_F(Replayed, TunesWithoutSpecAndDevice) {
  const Finished finished = run_wattune(folder_, {"tune", "--device", "replay:grid.json", "--strategy", "exhaustive"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("x=20, y=0"));
  EXPECT_THAT(finished.out, HasSubstr("Old GPU (replay:grid.json), replayed"));
  EXPECT_THAT(finished.out, HasSubstr("195 correct, 5 runtime"));
  EXPECT_THAT(run_wattune(folder_, {"show", "grid.replay.journal.jsonl"}).out, HasSubstr("Old GPU, replayed"));
  EXPECT_THAT(run_wattune(folder_, {"export", "-f", "header", "grid.replay.journal.jsonl"}).out,
              HasSubstr("replayed on"));
}

// The slowest configuration, the best for the objective -time, is x = 0 or 38, y = 4 with 34 ms.
TEST_F(Replayed, SearchesForWhatIsAsked) {
  const Finished finished = run_wattune(folder_, {"tune", "--device", "replay:grid.json", "--strategy", "exhaustive",
                                                  "--maximize", "time * 1000", "--json", "-q"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NEAR(finished.json()["best"]["time_ms"], 34.0, 1e-9);
  const Finished unknown =
      run_wattune(folder_, {"tune", "--device", "replay:grid.json", "--minimize", "energy", "--output", "other.jsonl"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("energy"));
}

// An evaluation takes 500 + 1 ms and a run of 10 to 34 ms, or 501 ms if it failed: ten seconds suffice for 19 or 20.
TEST_F(Replayed, TimeIsRecordedTime) {
  const Finished finished = run_wattune(
      folder_, {"tune", "--device", "replay:grid.json", "--strategy", "random", "--time", "10s", "--json", "-q"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_GE(finished.json()["evaluated"], 19);
  EXPECT_LE(finished.json()["evaluated"], 20);
  EXPECT_GE(finished.json()["elapsed_seconds"], 10.0);
  EXPECT_LT(finished.json()["elapsed_seconds"], 10.6);
  EXPECT_EQ(finished.json()["device"]["kind"], "simulated");
}

TEST_F(Replayed, ResumesAndReplaysItsOwnJournal) {
  const std::vector<std::string> tune = {"tune",   "--device", "replay:grid.json", "--strategy", "random",
                                         "--json", "-q"};
  const auto with = [](std::vector<std::string> arguments, std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
    return arguments;
  };
  ASSERT_EQ(run_wattune(folder_, with(tune, {"--evaluations", "30"})).status, 0);
  const Finished resumed = run_wattune(folder_, with(tune, {"--evaluations", "50", "--resume"}));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.json()["resumed"], 30);
  EXPECT_EQ(resumed.json()["evaluated"], 20);
  // The journal's own space lists all values, its recording 50 configurations.
  const Finished again = run_wattune(folder_, {"tune", "-d", "replay:grid.replay.journal.jsonl", "-s", "exhaustive",
                                               "-o", "again.jsonl", "--json", "-q"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.json()["evaluated"], 50);
}

constexpr const char* kSpec = R"spec({"General": {"BenchmarkName": "grid"}, "ConfigurationSpace": {"TuningParameters": [
{"Name": "x", "Type": "int", "Values": "[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 39, 40]"},
{"Name": "y", "Type": "int", "Values": "[0, 1, 2, 3, 4]"}],
"Conditions": [{"Expression": "x % 2 == 0", "Parameters": ["x"]}]},
"KernelSpecification": {"Language": "CUDA", "KernelName": "grid", "KernelFile": "missing.cu",
"LocalSize": {"X": "1"}, "GlobalSize": {"X": "1"}, "Arguments": []}})spec";

// The spec has 21 values of x, of which 40 is not recorded; 100 recorded configurations have an odd x.
TEST_F(Replayed, SearchesTheSpaceOfASpecWhoseKernelIsMissing) {
  folder_.write("grid_spec.json", kSpec);
  const Finished finished =
      run_wattune(folder_, {"tune", "grid_spec.json", "-d", "replay:grid.json", "-s", "exhaustive"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("100 correct, 5 not_recorded"));
  EXPECT_THAT(finished.err, HasSubstr("100 of 105 configurations are recorded"));
  EXPECT_THAT(finished.err, HasSubstr("100 recorded configurations are not in the space of the spec"));
}

TEST_F(Replayed, ErrorsAreOneClearLine) {
  const auto message = [&](const std::vector<std::string>& arguments) {
    const Finished finished = run_wattune(folder_, arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    return finished.err;
  };
  EXPECT_THAT(message({"tune"}), HasSubstr("SPEC is required"));
  EXPECT_THAT(message({"tune", "-d", "replay:none.json"}), HasSubstr("none.json"));
  folder_.write("other.json", R"({"General": {"BenchmarkName": "o"}, "ConfigurationSpace": {"TuningParameters": [
    {"Name": "tile", "Type": "int", "Values": "[1, 2]"}]}, "KernelSpecification": {"Language": "CUDA", "KernelName": "o",
    "KernelFile": "missing.cu", "LocalSize": {"X": "1"}, "GlobalSize": {"X": "1"}, "Arguments": []}})");
  EXPECT_THAT(message({"tune", "other.json", "-d", "replay:grid.json"}),
              HasSubstr("the recording is of another space: it lacks a parameter: `tile`"));
  folder_.write("negative.json", cache(-100.0));
  EXPECT_THAT(message({"tune", "-d", "replay:negative.json"}), HasSubstr("the time is negative"));
}

TEST_F(Replayed, AllConfigurationsFailing) {
  folder_.write("failing.json",
                R"({"device_name":"d","kernel_name":"k","tune_params_keys":["x"],"objective":"time","cache":{
"1":{"x":1,"time":NaN,"compile_time":1},"2":{"x":2,"time":"RuntimeFailedConfig","compile_time":1}}})");
  const Finished tuned = run_wattune(folder_, {"tune", "-d", "replay:failing.json", "-q"});
  EXPECT_EQ(tuned.status, 1) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("2 runtime"));
  const Finished scored = run_wattune(folder_, {"score", "-s", "random", "--spaces", "failing.json"});
  EXPECT_EQ(scored.status, 2);
  EXPECT_EQ(scored.err, "wattune: error: failing: no recorded configuration is correct\n");
}

TEST_F(Replayed, ScoresStrategies) {
  const Finished finished =
      run_wattune(folder_, {"score", "--strategy", "random,greedy_ils", "--strategy-option", "random_walk=0.5",
                            "--spaces", "grid.json", "--repeats", "10", "--svg", "scores.svg", "--within", "0.05"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (const char* part : {"grid ", "195", "greedy_ils random_walk=0.5", "mean", "of the optimum",
                           "evaluations until within 5 % of the optimum", "geometric mean"})
    EXPECT_THAT(finished.out, HasSubstr(part));
  EXPECT_THAT(folder_.read("scores.svg"), HasSubstr("greedy_ils random_walk=0.5"));
  EXPECT_THAT(folder_.read("scores.svg"), HasSubstr("</svg>"));
}

TEST_F(Replayed, WarmStartNeedsAStrategyWithAModel) {
  const auto tune = [&](const char* strategy) {
    return run_wattune(folder_, {"tune", "--device", "replay:grid.json", "--warm-start", "grid.json", "--strategy",
                                 strategy, "--evaluations", "10", "--overwrite", "--quiet"});
  };
  EXPECT_EQ(tune("auto").status, 0) << tune("auto").err;
  EXPECT_NE(tune("random").status, 0);
  EXPECT_THAT(tune("random").err, HasSubstr("cannot start from earlier results: `random`"));
  folder_.write("grid.json", R"({"device_name":"D","kernel_name":"k","tune_params_keys":["x","y"],"cache":{
"1,1":{"x":1,"y":1,"time":"RuntimeFailedConfig","compile_time":1},"1,2":{"x":1,"y":2,"time":"RuntimeFailedConfig"}}})");
  EXPECT_THAT(tune("auto").err, HasSubstr("grid.json: nothing to start from: no recorded configuration is correct"));
}

TEST_F(Replayed, OneMetricIsOneObjective) {
  const Finished refused =
      run_wattune(folder_, {"tune", "--device", "replay:grid.json", "--minimize", "time", "--maximize", "time"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "wattune: error: two objectives are the same metric: `time` (name it once)\n");
}

// The file has the time only.
TEST_F(Replayed, WarmStartIsOfWhatIsSearchedFor) {
  const auto tune = [&](const std::string& metric) {
    return run_wattune(folder_, {"tune", "--device", "replay:rated.json", "--warm-start", "grid.json", "--maximize",
                                 metric, "--evaluations", "3", "--overwrite", "--json", "--quiet"});
  };
  std::string rated = cache();
  const std::string_view time = "\"time\":";
  for (std::size_t at = rated.find(time); at != std::string::npos; at = rated.find(time, at + 2 * time.size()))
    rated.insert(at, "\"rate\":3,");
  folder_.write("rated.json", rated);
  const Finished missing = tune("rate");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("grid.json: the objective is no metric: `rate`"));
  // The prior ranks the configurations. After the default one of 30 ms and the middle comes its best, the slowest.
  const Finished slowest = tune("time * 1000");
  ASSERT_EQ(slowest.status, 0) << slowest.err;
  EXPECT_NEAR(slowest.json()["best"]["time_ms"], 34.0, 1e-9);
}

TEST_F(Replayed, RefusesWhatHasNoEffect) {
  const auto message = [&](std::vector<std::string> arguments) {
    const Finished finished = run_wattune(folder_, arguments);
    EXPECT_EQ(finished.status, 2);
    return finished.err;
  };
  EXPECT_THAT(message({"tune", "-d", "replay:grid.json", "-p", "n=5"}), HasSubstr("--problem-size needs SPEC: `n=5`"));
  EXPECT_THAT(message({"tune", "-d", "replay:grid.json", "--observe", "energy"}),
              HasSubstr("--observe is for devices"));
  EXPECT_THAT(message({"tune", "-d", "replay:grid.json", "--strategy-option", "population=9", "--fraction", "1"}),
              HasSubstr("without --strategy it is exhaustive: strategy exhaustive has no such parameter"));
  for (const auto& [option, value] : {std::pair("--within", "0.05"), {"--warm-start", "grid.json"}, {"--ahead", "4"}})
    EXPECT_THAT(message({"score", "--runs", "runs", option, value, "--spaces", "grid.json"}),
                HasSubstr(std::string(option) + " needs --strategy"));
}

// Ten of the 200 do not describe a space, and are too few for shares of the variance.
TEST_F(Replayed, AnalysesOnlyWhatResultsCarry) {
  ASSERT_EQ(run_wattune(folder_, {"tune", "--device", "replay:grid.json", "-s", "random", "--evaluations", "10",
                                  "--finalists", "0", "-o", "ten.jsonl"})
                .status,
            0);
  const Finished text = run_wattune(folder_, {"analyze", "ten.jsonl"});
  EXPECT_THAT(text.out, HasSubstr("too few, or lie too far apart, to tell"));
  EXPECT_THAT(text.out, HasSubstr("too few to tell which parameters matter"));
  const auto json = run_wattune(folder_, {"analyze", "ten.jsonl", "--json"}).json()["results"][0];
  EXPECT_TRUE(json["local_minima"].is_null());
  EXPECT_TRUE(json["amortisation"].is_null());
  EXPECT_TRUE(json["importance"]["x"].is_null());
}

// The cache has no counters.
TEST_F(Replayed, ProfileSaysThatItMissesCounters) {
  const std::vector<std::string> tune = {"tune",          "--device", "replay:grid.json", "-s", "profile",
                                         "--evaluations", "20"};
  const Finished finished = run_wattune(folder_, tune);
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("steps had no hardware counters"));
  EXPECT_THAT(run_wattune(folder_, {"score", "-s", "profile", "--spaces", "grid.json", "-r", "2"}).out,
              HasSubstr("steps had no hardware counters"));
}

// One configuration of 200, that of 10 ms, has 95 % of the best speed: ln(0.1) / ln(1 - 1/200) = 459.4 steps.
TEST_F(Replayed, AnalyzesASpace) {
  const Finished finished = run_wattune(folder_, {"analyze", "grid.json", "--svg", "map.svg"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (const char* part : {"195 correct, 5 failed", "tuning pays off after ", "with 460 of random search"})
    EXPECT_THAT(finished.out, HasSubstr(part));
  EXPECT_THAT(folder_.read("map.svg"), HasSubstr("</svg>"));
  const auto json = run_wattune(folder_, {"analyze", "grid.json", "--json"}).json()["results"][0];
  EXPECT_EQ(json["amortisation"]["steps"], 460.0);
  EXPECT_EQ(json["local_minima"], 1);
  EXPECT_TRUE(json["interactions"].empty());  // one result of each pair of values tells none
  EXPECT_EQ(
      run_wattune(folder_, {"analyze", "grid.json", "grid.json", "--svg", "m.svg", "--plot", "importance"}).status, 2);
  EXPECT_EQ(run_wattune(folder_, {"analyze", "grid.json", "--svg", "m.svg", "--plot", "portability"}).status, 2);
  EXPECT_EQ(run_wattune(folder_, {"analyze", "grid.json", "--svg", "m.svg", "--plot", "pareto"}).status, 2);
  EXPECT_EQ(run_wattune(folder_, {"analyze", "grid.json", "--plot", "importance"}).status, 2);
  EXPECT_THAT(run_wattune(folder_, {"analyze", "grid.json", "--svg", "m.svg", "--plot", "importanc"}).err,
              HasSubstr("did you mean `importance`"));
  ASSERT_EQ(run_wattune(folder_, {"analyze", "grid.json", "grid.json", "--svg", "m.svg"}).status, 0);
  EXPECT_THAT(folder_.read("m.svg"), HasSubstr("grid: speed of the row"));
}

TEST_F(Replayed, AnalyzesWhatWasSearchedFor) {
  ASSERT_EQ(run_wattune(folder_, {"tune", "--device", "replay:grid.json", "--strategy", "exhaustive", "--maximize",
                                  "1/time", "--output", "rate.jsonl", "-q"})
                .status,
            0);
  const Finished finished = run_wattune(folder_, {"analyze", "rate.jsonl"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  // The best takes 10 ms, and the rest is as in AnalyzesASpace.
  for (const char* part : {"1/time          best 100, ", "1 within 1 %", "with 460 of random search"})
    EXPECT_THAT(finished.out, HasSubstr(part));
}

TEST_F(Replayed, ScoreAsJson) {
  folder_.write("grid_spec.json", kSpec);
  const Finished finished = run_wattune(folder_, {"score", "-s", "random", "--spaces", "grid.json:grid_spec.json",
                                                  "--repeats", "5", "--clock", "clean", "--seed", "4", "--json", "-q"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = finished.json();
  EXPECT_TRUE(json["replayed"].get<bool>());
  EXPECT_EQ(json["repeats"], 5);
  EXPECT_EQ(json["spaces"][0]["correct"], 100);
  EXPECT_EQ(json["strategies"][0]["curve"].size(), 1000u);
  const auto& strategy = json["strategies"][0];
  EXPECT_EQ(strategy["spaces"][0]["score"], strategy["score"]);
  EXPECT_LE(strategy["interval"][0], strategy["interval"][1]);
  // Gives equal scores for equal seeds.
  EXPECT_EQ(run_wattune(folder_, {"score", "-s", "random", "--spaces", "grid.json:grid_spec.json", "--repeats", "5",
                                  "--clock", "clean", "--seed", "4", "--json", "-q"})
                .out,
            finished.out);
}

// Returns an evaluation of a T4 file, with a second for compiling.
std::string evaluation(int x, int y) {
  return R"({"configuration":{"x":)" + std::to_string(x) + R"(,"y":)" + std::to_string(y) +
         R"(},"invalidity":"correct","times":{"compilation":1,"runtimes":[0.001]},"measurements":[]})";
}

TEST_F(Replayed, ScoresRecordedRunsBesideStrategies) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::string results;
    for (int i = 0; i < 100; ++i) results += (i == 0 ? "" : ",") + evaluation((i * 7 + repeat) % 40, i % 5);
    folder_.write("walk/grid." + std::to_string(repeat) + ".json",
                  R"({"metadata":{"timeunit":"seconds"},"results":[)" + results + "]}");
  }
  folder_.write("walk/other.0.json", "not read: the space is not scored");
  const Finished finished = run_wattune(folder_, {"score", "-s", "random", "--runs", "walk/", "--spaces", "grid.json",
                                                  "--repeats", "5", "--clock", "evaluations", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = finished.json();
  EXPECT_EQ(json["strategies"][0]["recorded_runs"], 0);
  const auto& runs = json["strategies"][1];
  EXPECT_EQ(runs["strategy"], "walk");
  EXPECT_EQ(runs["recorded_runs"], 3);
  EXPECT_DOUBLE_EQ(runs["spaces"][0]["not_recorded"].get<double>(), 0.0);
  EXPECT_NEAR(runs["against_first"]["difference"].get<double>(),
              runs["score"].get<double>() - json["strategies"][0]["score"].get<double>(), 1e-9);

  const Finished table = run_wattune(folder_, {"score", "--runs", "walk", "--spaces", "grid.json"});
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("walk (3 recorded runs)"));
  EXPECT_THAT(table.out, Not(HasSubstr("of each strategy")));
}

TEST_F(Replayed, ScoreSaysWhatIsWrong) {
  const auto message = [&](const std::vector<std::string>& arguments) {
    const Finished finished = run_wattune(folder_, arguments);
    EXPECT_EQ(finished.status, 2);
    return finished.err;
  };
  EXPECT_THAT(message({"score", "-s", "random"}), HasSubstr("--spaces"));
  EXPECT_THAT(message({"score", "--spaces", "grid.json"}),
              HasSubstr("nothing to score (give --strategy NAME,... or --runs FOLDER)"));
  EXPECT_THAT(message({"score", "--runs", "none", "--spaces", "grid.json"}),
              HasSubstr("no folder that can be read: `none`"));
  folder_.write("runs/other.0.json", "{}");
  EXPECT_THAT(message({"score", "--runs", "runs", "--spaces", "grid.json"}), HasSubstr("no run on this space"));
  folder_.write("runs/grid.0.json", "{}");
  EXPECT_THAT(message({"score", "--runs", "runs", "--spaces", "grid.json"}), HasSubstr("grid.0.json"));
  EXPECT_THAT(message({"score", "--runs", "runs", "--strategy-option", "a=1", "--spaces", "grid.json"}),
              HasSubstr("--strategy-option needs --strategy"));
  EXPECT_THAT(message({"score", "-s", "greedy", "--spaces", "grid.json"}), HasSubstr("unknown strategy"));
  EXPECT_THAT(message({"score", "-s", "random", "--clock", "wall", "--spaces", "grid.json"}),
              HasSubstr("one of: recorded, clean, evaluations"));
  EXPECT_THAT(message({"score", "-s", "random,greedy_ils", "--strategy-option", "walk=1", "--spaces", "grid.json"}),
              HasSubstr("no such parameter"));
}

TEST_F(Replayed, ScoresAreNotLostToAPlot) {
  const std::vector<std::string> score = {"score",     "-q",        "--strategy", "random", "--spaces",
                                          "grid.json", "--repeats", "2",          "--svg"};
  const auto with_plot = [&](const std::string& file) {
    std::vector<std::string> arguments = score;
    arguments.push_back(file);
    return run_wattune(folder_, arguments);
  };
  folder_.write("taken.svg", "mine");
  for (const auto& [file, why] :
       {std::pair("taken.svg", "--overwrite"), std::pair("missing/plot.svg", "there is no folder")}) {
    const Finished refused = with_plot(file);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr(why));
  }
  const Finished lost = with_plot("/dev/full");
  EXPECT_NE(lost.status, 0);
  EXPECT_THAT(lost.out, HasSubstr("mean"));
}

TEST_F(Replayed, StrategiesAreListedWithTheirParameters) {
  EXPECT_THAT(run_wattune(folder_, {"strategies"}).out, HasSubstr("simulated_annealing"));
  EXPECT_THAT(run_wattune(folder_, {"strategies", "greedy_ils"}).out, HasSubstr("random_walk"));
  const auto json = run_wattune(folder_, {"strategies", "greedy_ils", "--json"}).json()["strategies"][0];
  EXPECT_EQ(json["parameters"][2]["default"], 0.3);
  EXPECT_EQ(run_wattune(folder_, {"strategies", "greedy"}).status, 2);
}

}  // namespace
}  // namespace wattune::cli_test
