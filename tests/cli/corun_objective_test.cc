// `wattune corun --objective`: joules, watts and slowdowns of queues on simulated GPUs, whose results are reproducible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

class CorunObjective : public testing::Test {
 protected:
  Finished corun(std::vector<std::string> arguments, const std::string& gpu = "H100") {
    arguments.insert(arguments.begin(), {"corun", "--device", "simulated:" + gpu, "--waves", "1", "--kernels", "C,L",
                                         "--works", "6", "--policies", "paired"});
    return run_wattune(folder_, arguments);
  }
  // Returns the single line of a command that is refused.
  std::string refused(const std::vector<std::string>& arguments, const std::string& gpu = "H100") {
    const Finished finished = corun(arguments, gpu);
    EXPECT_NE(finished.status, 0);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  }

  TempFolder folder_;
};

TEST_F(CorunObjective, PairsForJoulesTakeFewerThanStreamsAndNoMoreThanTheCeilingSays) {
  const Finished finished = corun({"--objective", "energy", "--json", "--svg", "policies.svg"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["objective"], "operations per joule");
  ASSERT_EQ(queue["policies"].size(), 3U);
  EXPECT_EQ(queue["policies"][1]["policy"], "paired");
  const nlohmann::json& thrifty = queue["policies"][2];
  EXPECT_EQ(thrifty["policy"], "paired, energy");
  const double of_streams = queue["policies"][0]["joules"];  // the only baseline
  EXPECT_LT(thrifty["joules"], of_streams);
  EXPECT_NEAR(thrifty["energy_gain_over_baseline"], of_streams / thrifty["joules"].get<double>() - 1.0, 1e-12);
  EXPECT_TRUE(thrifty["energy_gain_over_fifo"].is_null());
  const nlohmann::json& pair = thrifty["pairs"][0];
  EXPECT_GT(pair["energy_gain"], 0.05);
  EXPECT_LE(pair["energy_gain"], pair["most_energy_gain"]);
  EXPECT_GT(pair["watts"], queue["kernels"][0]["watts_alone"].get<double>());
  EXPECT_GT(queue["kernels"][0]["watts_idle"], 100.0);
  EXPECT_THAT(folder_.read("policies.svg"), HasSubstr("6 works on H100, simulated"));
}

TEST_F(CorunObjective, ExplainsPairsInWattsAndJoules) {
  const Finished finished = corun({"--objective", "edp", "--explain"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (const char* const text :
       {"For energy times time: 6 works", "paired, edp", "over the best baseline", "at most", " W "})
    EXPECT_THAT(finished.out, HasSubstr(text));
}

TEST_F(CorunObjective, SaysInOneLineWhatCannotBeKept) {
  EXPECT_THAT(refused({"--power-cap", "90"}), HasSubstr("W while nothing runs: `90 W`"));
  EXPECT_THAT(refused({"--power-cap", "130"}), HasSubstr("W alone: `130 W`"));
  EXPECT_THAT(refused({"--slowdown", "0.01%"}),
              HasSubstr("no pair keeps these limits at any ratio: `work per time, no kernel slower by more than"));
  EXPECT_THAT(refused({"--objective", "energy"}, "H200"), HasSubstr("the board reports no energy"));
}

TEST_F(CorunObjective, RefusesWhatMeansNothing) {
  EXPECT_THAT(refused({"--objective", "watts"}), HasSubstr("`watts` (one of: throughput, energy, edp)"));
  EXPECT_THAT(refused({"--slowdown", "-5"}), HasSubstr("a slowdown is 0 percent or more: `-5`"));
  EXPECT_THAT(refused({"--power-cap", "0"}), HasSubstr("a power cap is above 0 W: `0`"));
  const Finished finished = run_wattune(folder_, {"corun", "--device", "simulated:H100", "--kernels", "C,L",
                                                  "--policies", "fifo,split", "--objective", "energy"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("none of these policies plans by an objective: `fifo,split`"));
}

}  // namespace
}  // namespace wattune::cli_test
