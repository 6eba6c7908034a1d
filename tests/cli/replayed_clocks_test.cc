// Recordings with clocks and energy, in `wattune tune --method`, `wattune analyze --methods` and as objectives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// Returns a cache with Kernel Tuner's names: x from 0 to 3 at 1000, 1500 and 2000 MHz. x = 0 is the fastest, 10 ms at
// 2000 MHz, and takes 9 J there and 6 J at 1500. x = 1 takes the least energy, 5 J at 1000 MHz. The board is 30 °C at
// 1000 MHz and 50 at 2000.
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

// race-to-idle+clocks measures four configurations at 2000 MHz and the two other clocks of x = 0. The fastest takes 9 J
// in 10 ms, the thriftiest 5 J in 22 ms: 120 % slower, 44.4 % less energy.
TEST_F(ReplayedClocks, MethodsAreCompared) {
  const Finished text = run_wattune(folder_, {"analyze", "clocks.json", "--methods"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("slower by 120.0 %"));
  EXPECT_THAT(text.out, HasSubstr("44.4 % less energy"));
  EXPECT_THAT(text.out, HasSubstr("30 °C at 1000 MHz"));
  const auto results = run_wattune(folder_, {"analyze", "clocks.json", "--methods", "--json"}).json()["results"][0];
  EXPECT_EQ(results["methods"].size(), 9u);  // seven, one of which starts from three clocks
  const auto& race = results["methods"][2];
  EXPECT_EQ(race["name"], "race-to-idle+clocks");
  EXPECT_EQ(race["configuration"]["nvml_gr_clock"], 1500);
  EXPECT_EQ(race["evaluations"], 6);
  EXPECT_NEAR(race["energy_ratio"], 6.0 / 5.0, 1e-12);
  EXPECT_EQ(results["by_clock"][0]["temperature_c"], 30.0);
}

// The default, at 1000 MHz, takes 20 ms and the four at 2000 MHz take 46, which uses up the 70. The sweep over three
// clocks gets twice 20 ms for each, so that one code and its clocks fit. No code has its best at the highest clock.
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

// One clock draws 400 W between others of 85 and 97, and two have no power that can be.
TEST_F(ReplayedClocks, DoubtfulFiguresAreTold) {
  std::string cells;
  for (const auto& [clock, watts] : std::vector<std::pair<int, double>>{
           {500, -3.0}, {700, 0.0}, {900, 67.0}, {1100, 73.0}, {1300, 79.0}, {1500, 85.0}, {1700, 400.0}, {1900, 97.0}})
    cells += fmt::format("{}\"{}\":{{\"nvml_gr_clock\":{},\"time\":{},\"power\":{}}}", cells.empty() ? "" : ",", clock,
                         clock, 4e3 / clock, watts);
  folder_.write("odd.json", R"({"device_name":"A","kernel_name":"k","tune_params_keys":["nvml_gr_clock"],"cache":{)" +
                                cells + "}}");
  const Finished finished = run_wattune(folder_, {"analyze", "odd.json", "--methods", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto doubts = finished.json()["results"][0]["doubts"];
  ASSERT_EQ(doubts.size(), 2u);
  EXPECT_THAT(doubts[0].get<std::string>(), HasSubstr("the power at 1700 MHz stands out: 400 W"));
  EXPECT_THAT(doubts[1].get<std::string>(),
              HasSubstr("2 configurations have an energy or a power that is not above 0"));
}

// Returns a cache of four clocks with these energies, and with more members at the highest clock.
std::string cache_with(const std::vector<std::string>& energies, const std::string& at_highest = {}) {
  std::string cells;
  for (std::size_t i = 0; i < energies.size(); ++i)
    cells += fmt::format("{}\"{}\":{{\"nvml_gr_clock\":{},\"time\":1.0,\"energy\":{}{}}}", i == 0 ? "" : ",", i,
                         500 * (i + 1), energies[i], i + 1 == energies.size() ? at_highest : "");
  return R"({"device_name":"A","kernel_name":"k","tune_params_keys":["nvml_gr_clock"],"cache":{)" + cells + "}}";
}

// An energy of 0 or below would be the least of all.
TEST_F(ReplayedClocks, AnImpossibleEnergyIsNeverChosen) {
  folder_.write("odd.json", cache_with({"-0.02", "0.3", "0.0", "0.4"}));
  const Finished analysed = run_wattune(folder_, {"analyze", "odd.json", "--methods", "--json"});
  ASSERT_EQ(analysed.status, 0) << analysed.err;
  for (const auto& method : analysed.json()["results"][0]["methods"])
    if (!method["energy_j"].is_null()) {
      EXPECT_GE(method["energy_ratio"], 1.0) << method;
    }
  const Finished tuned = run_wattune(folder_, {"tune", "--device", "replay:odd.json", "--method", "global"});
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("2 configurations have an energy or a power that is not above 0"));
  EXPECT_THAT(tuned.out, HasSubstr("nvml_gr_clock=1000"));
}

TEST_F(ReplayedClocks, AThrottledPointIsLeftOutOfTheFit) {
  folder_.write("held.json", cache_with({"0.2", "0.3", "0.35", "0.4"}, R"(,"energy_throttled":0.9)"));
  const Finished finished = run_wattune(folder_, {"analyze", "held.json", "--methods"});
  EXPECT_THAT(finished.out, HasSubstr("3 of 3 samples"));
}

// The highest clock draws less than half of what either of the two below it draws.
TEST_F(ReplayedClocks, APowerThatStandsOutAtAnEndIsTold) {
  folder_.write("odd.json", cache_with({"0.2", "0.3", "0.4", "0.1"}));
  const Finished finished = run_wattune(folder_, {"analyze", "odd.json", "--methods"});
  EXPECT_THAT(finished.out, HasSubstr("the power at 2000 MHz stands out"));
  EXPECT_THAT(finished.out, testing::Not(HasSubstr("at 500 MHz stands out")));
  const Finished tuned = run_wattune(folder_, {"tune", "--device", "replay:odd.json", "--method", "global"});
  EXPECT_THAT(tuned.err, HasSubstr("the power at 2000 MHz stands out"));
}

TEST_F(ReplayedClocks, TimeAndEnergyArePlotted) {
  for (const std::string plot : {"energy", "pareto"}) {
    const Finished finished = run_wattune(folder_, {"analyze", "clocks.json", "--plot", plot, "--svg", plot + ".svg"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(folder_.read(plot + ".svg"), HasSubstr("energy"));
  }
}

// The default, x = 0 at 1500 MHz, is measured first, and is one of the clocks of the chosen code. The method needs six
// evaluations.
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
  EXPECT_EQ(finished.json()["evaluated"].get<int>() + finished.json()["resumed"].get<int>(), 6);
  EXPECT_EQ(finished.json()["strategy"], "race-to-idle+clocks");
  EXPECT_EQ(finished.json()["chosen"]["x"], 0);
  EXPECT_EQ(finished.json()["chosen"]["nvml_gr_clock"], 1500);
}

TEST_F(ReplayedClocks, MethodsRefuseObjectives) {
  const Finished finished =
      run_wattune(folder_, {"tune", "--device", "replay:clocks.json", "--method", "global", "--minimize", "edp"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("--method has its own objectives"));
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

// 35 % above the least of 10 ms are 13.5. x = 0 at 1500 MHz (13.3 ms) with its 6 J counts; x = 3 there (17.3 ms) with
// 5.5 J does not. 15 % leave 10 and 11 ms at 2000 MHz, of which the second takes 8 J.
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
  EXPECT_EQ(shown["best"].size(), 5u);  // four at 2000 MHz and x = 0 at 1500 MHz
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
  EXPECT_THAT(message({"--slowdown", "5"}), HasSubstr("needs an objective other than the time"));
  EXPECT_THAT(message({"--minimize", "time", "--slowdown", "5"}), HasSubstr("but the objective is the time"));
  EXPECT_THAT(message({"--minimize", "energy", "--minimize", "edp", "--slowdown", "5"}),
              HasSubstr("a slowdown goes with one objective"));
  EXPECT_THAT(message({"--method", "global", "--slowdown", "5"}), HasSubstr("means nothing to this method"));
  EXPECT_THAT(message({"--minimize", "energy", "--slowdown", "-5"}), HasSubstr("0 percent or more"));
}

// The least power is at 1000 MHz, 5 J in 22 ms, 227.3 W; the most at 2000 MHz, 9 J in 10 ms, 900 W.
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
  EXPECT_THAT(finished.err, HasSubstr("was stopped in step 2 of 2 and has settled"));
}

// Returns a cache of simulate's A100: 45 W + 0.0614 W/MHz f v^2, v = 1 + 1.285e-3 (f - 985) above 985 MHz. The kernel
// has 10^9 cycles. Its energy is least at 985 MHz; from there to 1410 MHz the time falls by 30 %.
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

// Returns a cache like StreamCluster on a K20c in Guerreiro et al. 2015, at three clocks. A walk by energy tries 1024
// threads at 2000, 1500 and 1000 MHz (worse); 512, 256, 128 and 64 (worse) at 1500; 128 at 1000 (worse). A walk by time
// tries 1024, 512 and 256 (worse) at 2000 MHz.
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

// The optima over clock_cache() are 6 J * 13.3 ms for edp, 9 J * (10 ms)^2 = 0.9 mJ s^2 for ed2p and 1e9 / 5 J for
// operations_per_joule. The front of time and energy has six configurations: x = 0, 1 and 2 at 2000 MHz, x = 0 and 3 at
// 1500, and x = 1 at 1000.
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
