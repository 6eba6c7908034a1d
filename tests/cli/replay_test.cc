// `wattune tune --device replay:FILE` and `wattune score`, which need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A cache of Kernel Tuner: x from 0 to 39 and y from 0 to 4, 10 ms and more, compiled in 500 ms each; the
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

// The slowest is x = 0 or 38, y = 4 for the objective -time, 34 ms.
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

// An evaluation takes 500 + 1 ms and a run of 10 to 34 ms, or 501 ms where it failed: ten seconds hold 19 or 20.
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

// 21 values of x, of which 40 is not recorded; 100 recorded configurations have an odd x.
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

// The file knows the time only.
TEST_F(Replayed, WarmStartIsOfWhatIsSearchedFor) {
  const auto tune = [&](const std::string& metric) {
    return run_wattune(folder_, {"tune", "--device", "replay:rated.json", "--warm-start", "grid.json", "--maximize",
                                 metric, "--evaluations", "2", "--overwrite", "--json", "--quiet"});
  };
  std::string rated = cache();
  const std::string_view time = "\"time\":";
  for (std::size_t at = rated.find(time); at != std::string::npos; at = rated.find(time, at + 2 * time.size()))
    rated.insert(at, "\"rate\":3,");
  folder_.write("rated.json", rated);
  const Finished missing = tune("rate");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("grid.json: the objective is no metric: `rate`"));
  // After the default configuration of 30 ms comes the best of the prior, its slowest.
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

// The cache holds no counters.
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
  EXPECT_EQ(json["interactions"][0]["parameters"].size(), 2u);
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
  // 10 ms, and the same as AnalyzesASpace.
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
  // Equal seeds, equal scores.
  EXPECT_EQ(run_wattune(folder_, {"score", "-s", "random", "--spaces", "grid.json:grid_spec.json", "--repeats", "5",
                                  "--clock", "clean", "--seed", "4", "--json", "-q"})
                .out,
            finished.out);
}

// One evaluation of a T4 file, with a second for compiling.
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
  std::vector<std::string> taken = score;
  folder_.write("taken.svg", "mine");
  taken.emplace_back("taken.svg");
  const Finished refused = run_wattune(folder_, taken);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("--overwrite"));
  std::vector<std::string> lost = score;
  lost.emplace_back("missing/plot.svg");
  const Finished finished = run_wattune(folder_, lost);
  EXPECT_NE(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("mean"));
}

TEST_F(Replayed, StrategiesAreListedWithTheirParameters) {
  EXPECT_THAT(run_wattune(folder_, {"strategies"}).out, HasSubstr("simulated_annealing"));
  EXPECT_THAT(run_wattune(folder_, {"strategies", "greedy_ils"}).out, HasSubstr("random_walk"));
  const auto json = run_wattune(folder_, {"strategies", "greedy_ils", "--json"}).json()["strategies"][0];
  EXPECT_EQ(json["parameters"][2]["default"], 0.3);
  EXPECT_EQ(run_wattune(folder_, {"strategies", "greedy"}).status, 2);
}

// Kernel Tuner's names: x from 0 to 3 at 1000, 1500 and 2000 MHz. x = 0 is the fastest, 10 ms at 2000 MHz, and takes 9
// J there, 6 at 1500; x = 1 takes the least energy, 5 J at 1000 MHz. The board is 30 °C at 1000 MHz and 50 at 2000.
std::string clock_cache(const std::string& energy) {
  const double joules[3][4] = {{7.0, 5.0, 7.2, 6.0}, {6.0, 6.5, 7.0, 5.5}, {9.0, 8.0, 7.5, 8.5}};
  std::string text =
      R"({"device_name":"Old GPU","kernel_name":"grid","tune_params_keys":["nvml_gr_clock","x"],"objective":"time","cache":{)";
  for (int c = 0; c < 3; ++c)
    for (int x = 0; x < 4; ++x)
      text += fmt::format("{}\n\"{},{}\":{{\"nvml_gr_clock\":{},\"x\":{},\"time\":{},\"temperature\":{},\"{}\":{}}}",
                          c + x == 0 ? "" : ",", c, x, 1000 + 500 * c, x, (10.0 + x) * 4 / (c + 2), 30 + 10 * c, energy,
                          joules[c][x]);
  return text + "}}";
}

class ReplayedClocks : public testing::Test {
 protected:
  ReplayedClocks() { folder_.write("clocks.json", clock_cache("ps_energy")); }

  TempFolder folder_;
};

// race-to-idle+clocks measures four at 2000 MHz and the two other clocks of x = 0. The fastest takes 9 J in 10 ms, the
// least is 5 J in 22 ms: 120 % slower, 44.4 % less energy.
TEST_F(ReplayedClocks, MethodsAreCompared) {
  const Finished text = run_wattune(folder_, {"analyze", "clocks.json", "--methods"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("slower by 120.0 %"));
  EXPECT_THAT(text.out, HasSubstr("44.4 % less energy"));
  EXPECT_THAT(text.out, HasSubstr("30 °C at 1000 MHz"));
  const auto results = run_wattune(folder_, {"analyze", "clocks.json", "--methods", "--json"}).json()["results"][0];
  EXPECT_EQ(results["methods"].size(), 9u);  // seven, one of which from three clocks
  const auto& race = results["methods"][2];
  EXPECT_EQ(race["name"], "race-to-idle+clocks");
  EXPECT_EQ(race["configuration"]["nvml_gr_clock"], 1500);
  EXPECT_EQ(race["evaluations"], 6);
  EXPECT_NEAR(race["energy_ratio"], 6.0 / 5.0, 1e-12);
  EXPECT_EQ(results["by_clock"][0]["temperature_c"], 30.0);
}

// The default, at 1000 MHz, takes 20 ms and the four at 2000 MHz 46, which leaves nothing of 70. The sweep over three
// clocks is left twice 20 ms each, so that one code is looked at, and its clocks fit: of none is the highest the best.
TEST_F(ReplayedClocks, ATimeIsSharedAmongTheStepsOfAMethod) {
  const Finished finished =
      run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--method", "race-to-idle+clocks", "--time",
                            "70ms", "--json", "-q", "--output", "m.jsonl"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_LE(finished.json()["evaluated"], 4);
  EXPECT_LT(finished.json()["chosen"]["nvml_gr_clock"], 2000);
}

TEST_F(ReplayedClocks, WithoutEnergyOneLineSaysWhatThereIs) {
  folder_.write("no.json", clock_cache("GFLOPS"));
  const Finished finished = run_wattune(folder_, {"analyze", "no.json", "--methods"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("no.json: neither energy nor power was recorded: `GFLOPS, temperature`"));
  const Finished plot = run_wattune(folder_, {"analyze", "no.json", "--plot", "energy", "--svg", "e.svg"});
  EXPECT_EQ(plot.status, 2);
  EXPECT_THAT(plot.err, HasSubstr("it takes an energy of each configuration"));
}

TEST_F(ReplayedClocks, TimeAndEnergyArePlotted) {
  for (const std::string plot : {"energy", "pareto"}) {
    const Finished finished = run_wattune(folder_, {"analyze", "clocks.json", "--plot", plot, "--svg", plot + ".svg"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(folder_.read(plot + ".svg"), HasSubstr("energy"));
  }
}

// The default, x = 0 at 1000 MHz, is measured first, and is one of the clocks of what is chosen. Six are what the
// method needs; the seventh is a clock of the code that the share of a short time led to.
TEST_F(ReplayedClocks, AMethodTunesAndIsResumed) {
  const std::vector<std::string> tune = {"tune",   "--device", "replay:clocks.json", "--method", "race-to-idle+clocks",
                                         "--json", "-q",       "--output",           "m.jsonl"};
  const auto cut_off = [&](std::vector<std::string> more) {
    std::vector<std::string> all = tune;
    all.insert(all.end(), more.begin(), more.end());
    return run_wattune(folder_, all);
  };
  const Finished begun = cut_off({"--time", "35ms"});  // 20 ms, 11 for a first code, and 22 for one of its clocks
  ASSERT_EQ(begun.status, 0) << begun.err;
  EXPECT_LT(begun.json()["evaluated"], 6);
  const Finished finished = cut_off({"--resume"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["evaluated"].get<int>() + finished.json()["resumed"].get<int>(), 7);
  EXPECT_EQ(finished.json()["strategy"], "race-to-idle+clocks");
  EXPECT_EQ(finished.json()["chosen"]["x"], 0);
  EXPECT_EQ(finished.json()["chosen"]["nvml_gr_clock"], 1500);
}

TEST_F(ReplayedClocks, MethodsRefuseObjectives) {
  const Finished finished =
      run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--method", "global", "--minimize", "edp"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("--method decides itself"));
}

// x = 0 at 1500 MHz: 6 J in 13.3 ms are 80 mJ s; 9 J in 10 ms are 90, 5 J in 22 ms are 110.
TEST_F(ReplayedClocks, StandardMetricsAreObjectives) {
  const Finished finished = run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--strategy", "exhaustive",
                                                  "--minimize", "edp", "--json", "-q"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NEAR(finished.json()["best"]["objective"], 6.0 * 40 / 3 * 1e-3, 1e-9);
  EXPECT_EQ(
      run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--minimize", "operations_per_joule"}).status, 2);
}

TEST_F(ReplayedClocks, StrategiesAreScoredByEnergy) {
  const Finished finished =
      run_wattune(folder_, {"score", "-s", "random", "--minimize", "energy", "--clock", "evaluations", "--repeats", "3",
                            "--json", "-q", "--spaces", "clocks.json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["spaces"][0]["optimum"], 5.0);
}

TEST_F(ReplayedClocks, MethodsAreListed) {
  EXPECT_THAT(run_wattune(folder_, {"strategies"}).out, HasSubstr("race-to-idle+clocks"));
  EXPECT_GE(run_wattune(folder_, {"strategies", "--json"}).json()["methods"].size(), 7u);
}

// 35 % above the least of 10 ms are 13.5: x = 0 at 1500 MHz (13.3 ms) counts with its 6 J, and x = 3 there (17.3 ms)
// with 5.5 J does not. 15 % leave 10 and 11 ms at 2000 MHz, of which the second takes 8 J.
TEST_F(ReplayedClocks, EnergyUnderASlowdownIsAnObjective) {
  const auto tune = [&](const std::string& strategy, const std::string& slowdown, const std::string& journal) {
    return run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--strategy", strategy, "--minimize",
                                 "energy", "--slowdown", slowdown, "--json", "-q", "--output", journal});
  };
  for (const std::string strategy : {"exhaustive", "auto", "genetic_algorithm", "random"}) {
    const Finished finished = tune(strategy, "35", strategy + ".jsonl");
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.json()["best"]["objective"], 6.0) << strategy;
  }
  EXPECT_EQ(tune("exhaustive", "15%", "b.jsonl").json()["best"]["objective"], 8.0);
  const auto shown = run_wattune(folder_, {"show", "exhaustive.jsonl", "--json"}).json();
  EXPECT_EQ(shown["best"].size(), 5u);  // four at 2000 MHz and that one
  EXPECT_EQ(shown["best"][0]["objective"], 6.0);
  EXPECT_EQ(shown["objectives"][0]["slowdown"], 0.35);
  EXPECT_THAT(run_wattune(folder_, {"show", "exhaustive.jsonl"}).out, HasSubstr("slower and left out: 7"));
  EXPECT_THAT(run_wattune(folder_, {"analyze", "exhaustive.jsonl"}).out, HasSubstr("best 6,"));
  const Finished header = run_wattune(folder_, {"export", "exhaustive.jsonl", "--format", "header"});
  EXPECT_THAT(header.out, HasSubstr("1500"));
}

TEST_F(ReplayedClocks, ASlowdownIsOfSomethingElseThanTime) {
  const auto message = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"tune", "--device", "replay:clocks.json", "-q"};
    all.insert(all.end(), more.begin(), more.end());
    const Finished finished = run_wattune(folder_, all);
    EXPECT_EQ(finished.status, 2);
    return finished.err;
  };
  EXPECT_THAT(message({"--slowdown", "5"}), HasSubstr("needs something that may cost time"));
  EXPECT_THAT(message({"--minimize", "time", "--slowdown", "5"}), HasSubstr("which is the time"));
  EXPECT_THAT(message({"--minimize", "energy", "--minimize", "edp", "--slowdown", "5"}),
              HasSubstr("a slowdown goes with one objective"));
  EXPECT_THAT(message({"--method", "global", "--slowdown", "5"}), HasSubstr("means nothing to this method"));
  EXPECT_THAT(message({"--minimize", "energy", "--slowdown", "-5"}), HasSubstr("0 percent or more"));
}

// The least is at 1000 MHz, 5 J in 22 ms, 227.3 W; the most at 2000 MHz, 9 J in 10 ms, 900 W.
TEST_F(ReplayedClocks, PowerIsAStandardMetric) {
  const Finished finished = run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--strategy", "exhaustive",
                                                  "--minimize", "power", "--json", "-q"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NEAR(finished.json()["best"]["objective"], 5.0 / 22e-3, 1e-6);
}

TEST_F(ReplayedClocks, TheMethodUnderASlowdownLeavesNoBestThatIsSlower) {
  const Finished finished =
      run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--method", "energy-under-slowdown", "--slowdown",
                            "35", "--json", "-q", "--output", "m.jsonl"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["best"]["objective"], 6.0);
  EXPECT_EQ(run_wattune(folder_, {"show", "m.jsonl", "--json"}).json()["best"][0]["objective"], 6.0);
}

TEST_F(ReplayedClocks, MethodsHaveSixColumns) {
  const Finished text = run_wattune(folder_, {"analyze", "clocks.json", "--methods"});
  EXPECT_THAT(text.out, testing::ContainsRegex("name +configuration +time_ms +energy_j +energy_ratio +evaluations"));
  EXPECT_THAT(text.out, HasSubstr("No fit: power curve: a fit needs samples of 5 clocks"));
  const auto results = run_wattune(folder_, {"analyze", "clocks.json", "--methods", "--json"}).json()["results"][0];
  EXPECT_EQ(results["methods"][0].size(), 6u);
  EXPECT_TRUE(results["fit"].is_null());
}

TEST_F(ReplayedClocks, AMethodThatIsCutOffSaysSo) {
  const Finished finished = run_wattune(
      folder_, {"tune", "--device", "replay:clocks.json", "--method", "race-to-idle+clocks", "--time", "25ms"});
  EXPECT_THAT(finished.err, HasSubstr("was stopped in step 1 of 2"));
}

// A board of simulate's A100: 45 W + 0.0614 W/MHz f v^2, v = 1 + 1.285e-3 (f - 985) above 985 MHz, under a kernel of
// 10^9 cycles for each of which the energy is least at 985 MHz; between there and 1410 MHz the time falls by 30 %.
std::string sweep_cache() {
  std::string text =
      R"({"device_name":"A100","kernel_name":"fma","tune_params_keys":["nvml_gr_clock"],"objective":"time","cache":{)";
  for (int i = 0; i < 17; ++i) {
    const double f = 210.0 + 75.0 * i;
    const double v = 1.0 + 1.285e-3 * std::max(0.0, f - 985.0);
    const double milliseconds = 1e6 / f;
    text += fmt::format("{}\n\"{}\":{{\"nvml_gr_clock\":{},\"time\":{},\"energy\":{}}}", i == 0 ? "" : ",", i, f,
                        milliseconds, (45.0 + 0.0614 * f * v * v) * milliseconds * 1e-3);
  }
  return text + "}}";
}

TEST_F(ReplayedClocks, EnergyIsDrawnWithItsFit) {
  folder_.write("sweep.json", sweep_cache());
  const Finished finished =
      run_wattune(folder_, {"analyze", "sweep.json", "--methods", "--plot", "energy", "--svg", "e.svg", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto fit = finished.json()["results"][0]["fit"];
  EXPECT_EQ(fit["clocks"], 17);
  EXPECT_NEAR(fit["ridge_mhz"], 985.0, 5.0);
  EXPECT_NEAR(fit["steered_mhz"][0], 0.9 * 985.0, 5.0);
  EXPECT_LE(fit["likely_ridge_mhz"][0], fit["ridge_mhz"]);
  const std::string svg = folder_.read("e.svg");
  for (const char* const part : {"class=\"likely\"", "class=\"ridge\"", "class=\"curve\"", "fit, P(f) t(f)",
                                 "its 95 % range", "steered range", "likely ridge", "slower by"})
    EXPECT_THAT(svg, HasSubstr(part));
  const Finished alone = run_wattune(folder_, {"analyze", "sweep.json", "--plot", "energy", "--svg", "alone.svg"});
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(folder_.read("alone.svg"), svg);
}

// As paper 000's StreamCluster on a K20c, at three clocks: 1024 threads at 2000, 1500 and 1000 MHz (worse); 512, 256,
// 128 and 64 (worse) at 1500; 128 at 1000 (worse). By time 1024, 512 and 256 (worse) at 2000 MHz.
std::string shapes_cache() {
  constexpr int kThreads[] = {64, 128, 256, 512, 1024};
  constexpr double kJoules[3][5] = {{50, 6.5, 50, 50, 9.5}, {9, 6, 7, 8, 9}, {50, 50, 50, 50, 10}};
  constexpr double kTimes[] = {9, 8, 7, 3, 4};
  std::string text =
      R"({"device_name":"K20c","kernel_name":"sc","tune_params_keys":["nvml_gr_clock","block_size_x"],"objective":"time","cache":{)";
  for (int c = 0; c < 3; ++c)
    for (int s = 0; s < 5; ++s)
      text +=
          fmt::format("{}\n\"{},{}\":{{\"nvml_gr_clock\":{},\"block_size_x\":{},\"time\":{},\"energy\":{}}}",
                      c + s == 0 ? "" : ",", c, s, 1000 + 500 * c, kThreads[s], kTimes[s] * 2 / (c + 1), kJoules[c][s]);
  return text + "}}";
}

TEST_F(ReplayedClocks, OccupancyWalksAreMethods) {
  folder_.write("shapes.json", shapes_cache());
  const auto tune = [&](const std::string& method) {
    const Finished finished = run_wattune(
        folder_, {"tune", "--device", "replay:shapes.json", "--method", method, "--json", "-q", "--overwrite"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.json();
  };
  const auto energy = tune("occupancy-walk+clocks");
  EXPECT_EQ(energy["evaluated"], 8);
  EXPECT_EQ(energy["chosen"]["block_size_x"], 128);
  EXPECT_EQ(energy["chosen"]["nvml_gr_clock"], 1500);
  const auto time = tune("occupancy-walk");
  EXPECT_EQ(time["evaluated"], 3);
  EXPECT_EQ(time["chosen"]["block_size_x"], 512);
  EXPECT_EQ(time["chosen"]["nvml_gr_clock"], 2000);
  const auto methods = run_wattune(folder_, {"analyze", "shapes.json", "--methods", "--json"}).json();
  EXPECT_EQ(methods["results"][0]["methods"].back()["name"], "occupancy-walk+clocks");
  EXPECT_EQ(methods["results"][0]["methods"].back()["evaluations"], 8);
  const Finished refused =
      run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--method", "occupancy-walk"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("block_size_x"));
}

// The least of each over clock_cache(): edp is 6 J * 13.3 ms, ed2p 9 J * (10 ms)^2 = 0.9 mJ s^2, operations_per_joule
// is 1e9 / 5 J. Of time and energy six are the front: x = 0, 1 and 2 at 2000 MHz, x = 0 and 3 at 1500, x = 1 at 1000.
TEST_F(ReplayedClocks, EveryObjectiveThatIsListedIsSearchedFor) {
  const auto best = [&](std::vector<std::string> objective) {
    std::vector<std::string> all = {"tune",   "--device", "replay:clocks.json", "--strategy", "exhaustive",
                                    "--json", "-q",       "--overwrite",        "--output",   "o.jsonl"};
    all.insert(all.end(), objective.begin(), objective.end());
    const Finished finished = run_wattune(folder_, all);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.json()["best"];
  };
  EXPECT_EQ(best({"--minimize", "time"})["time_ms"], 10.0);
  EXPECT_EQ(best({"--minimize", "energy"})["objective"], 5.0);
  EXPECT_NEAR(best({"--minimize", "power"})["objective"], 5.0 / 22e-3, 1e-6);
  EXPECT_NEAR(best({"--minimize", "edp"})["objective"], 6.0 * 40 / 3 * 1e-3, 1e-9);
  EXPECT_NEAR(best({"--minimize", "ed2p"})["objective"], 9.0 * 1e-4, 1e-9);
  EXPECT_NEAR(best({"--metric", "operations=1e9", "--maximize", "operations_per_joule"})["objective"], -2e8, 1.0);
  EXPECT_EQ(best({"--minimize", "energy", "--slowdown", "35"})["objective"], 6.0);
  EXPECT_EQ(best({"--minimize", "time", "--minimize", "energy"})["time_ms"], 10.0);
  EXPECT_EQ(run_wattune(folder_, {"show", "o.jsonl", "--json"}).json()["pareto"].size(), 6u);
}

}  // namespace
}  // namespace wattune::cli_test
