// Every objective of time and energy, from the sensors to the answer. Boards of module `simulate` are behind the
// stand-in for NVML. They run kernels of libcuda's stand-in, which take the host's time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/cuda_stand_ins.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

Finished run_on_board(const TempFolder& folder, const std::string& model, const std::string& arguments) {
  return run_with_stand_ins(folder, arguments,
                            "WATTUNE_FAKE_NVML_PROFILE=" + model + " WATTUNE_FAKE_CUDA_TIME=host WATTUNE_FAKE_BOARD=" +
                                (folder.path() / "board").string());
}

// Writes the spec of the kernel of cuda_stand_ins.h with these parameters.
void write_spec(const TempFolder& folder, const std::string& parameters) {
  write_scale(folder);
  std::string spec = kScaleSpec;
  const std::size_t begin = spec.find("[parameters]");
  folder.write("scale.toml",
               spec.replace(begin, spec.find("[reference]") - begin, "[parameters]\n" + parameters + "\n"));
}

// The command line, to which a window's length and an objective are appended.
constexpr const char* kMeasure = "tune scale.toml -q --json --finalists 0 --observe power,energy --energy-window ";

struct Searched {
  const char* name;
  const char* options;
  // The objective of a run from its time in seconds and its joules, for 10^6 operations; smaller is better. nullptr for
  // the power, which is that of the window: launches there may take other times than the samples.
  double (*objective)(double time, double energy);
};

class EnergyObjectives : public testing::TestWithParam<Searched> {};

// The V100's sensors give a new value every 20 ms. The kernels take 32 and 64 us at the same power, so that the first
// is the better in all objectives but the power.
TEST_P(EnergyObjectives, AreWhatTheyMakeOfTimeAndEnergy) {
  const TempFolder folder;
  write_spec(folder, "block = [32, 64]");
  const Finished finished = run_on_board(folder, "V100", kMeasure + std::string("50ms ") + GetParam().options);
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json best = finished.json()["best"];
  if (GetParam().objective == nullptr) {
    EXPECT_EQ(best["objective"], best["metrics"]["power"]);
    return;
  }
  const double objective = GetParam().objective(1e-3 * best["time_ms"].get<double>(), best["metrics"]["energy"]);
  EXPECT_NEAR(best["objective"].get<double>(), objective, 1e-6 * std::abs(objective));
  EXPECT_EQ(best["configuration"]["block"], 32);
}

INSTANTIATE_TEST_SUITE_P(
    Cli, EnergyObjectives,
    testing::Values(
        Searched{"time", "--minimize time", [](double time, double) { return 1e9 * time; }},
        Searched{"energy", "--minimize energy", [](double, double energy) { return energy; }},
        Searched{"power", "--minimize power", nullptr},
        Searched{"edp", "--minimize edp", [](double time, double energy) { return energy * time; }},
        Searched{"ed2p", "--minimize ed2p", [](double time, double energy) { return energy * time * time; }},
        Searched{"operations_per_joule", "--metric operations=1e6 --maximize operations_per_joule",
                 [](double, double energy) { return -1e6 / energy; }},
        Searched{"slowdown", "--minimize energy --slowdown 10%", [](double, double energy) { return energy; }},
        Searched{"pareto", "--minimize energy --minimize time", [](double, double energy) { return energy; }}),
    [](const auto& each) { return std::string(each.param.name); });

// A search observes what it reads, whether --observe names it or not.
TEST_P(EnergyObjectives, ImplyWhatTheyObserve) {
  const TempFolder folder;
  write_spec(folder, "block = [32, 64]");
  const Finished finished =
      run_on_board(folder, "V100",
                   std::string("tune scale.toml -q --json --finalists 0 --energy-window 50ms ") + GetParam().options);
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json best = finished.json()["best"];
  const bool reads_energy = std::string(GetParam().name) != "time";
  EXPECT_EQ(best["metrics"].contains("energy") || best["metrics"].contains("power"), reads_energy) << finished.out;
}

// The V100 draws 35 W idle and 195 W at work, of which 160 are dynamic. At 16 times the time a run takes at least 16 *
// 35 + 0.75 * 160 = 680. The first takes 195, or somewhat more on a busy machine.
TEST(EnergyRace, WhatItsTimeRulesOutIsTimedAndNotMeasured) {
  const TempFolder folder;
  write_spec(folder, "block = [32, 512]");
  const Finished finished =
      run_on_board(folder, "V100", kMeasure + std::string("50ms --minimize energy --strategy exhaustive"));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["left_out"], 1);
  EXPECT_EQ(finished.json()["by_status"]["correct"], 2);
  EXPECT_THAT(folder.read("scale.journal.jsonl"), HasSubstr("energy_at_least"));
  EXPECT_THAT(run_with_stand_ins(folder, "show scale.journal.jsonl").out, HasSubstr(">="));
  const Finished again = run_on_board(folder, "V100", kMeasure + std::string("50ms --minimize energy --resume"));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.json()["evaluated"], 0);
  EXPECT_EQ(again.json()["left_out"], 1);
}

// The second takes sixteen times as long as the fastest, which is too slow, and at least more joules.
TEST(EnergyRace, UnderASlowdownAndBesideTheTimeToo) {
  for (const char* const objectives : {"--minimize energy --slowdown 10%", "--minimize time --minimize energy"}) {
    const TempFolder folder;
    write_spec(folder, "block = [32, 512]");
    const Finished finished =
        run_on_board(folder, "V100", kMeasure + std::string("50ms --strategy exhaustive ") + objectives);
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.json()["left_out"], 1) << objectives;
    EXPECT_EQ(finished.json()["best"]["configuration"]["block"], 32) << objectives;
  }
}

// An H100 draws P(f) = 110 W + 0.16 W/MHz f v^2, v = 1 + 5e-4 / MHz max(0, f - 1200 MHz), at full activity. The kernel
// takes t = c / f. At 705, 1200 and 1905 MHz it draws 223, 302 and 667 W and takes 20.0, 15.9 and 22.2 mJ and 1.80,
// 0.84 and 0.74 mJ ms. The front of time and energy is 1905 and 1200 MHz; 1200 is 59 % slower.
class ClockedObjectives : public testing::Test {
 protected:
  // Measures once for all searches, because each clock idles for a second and a half.
  ClockedObjectives() {
    write_spec(folder_, "block = [32]\nnvml_gr_clock = [705, 1200, 1905]");
    measured_ = run_on_board(folder_, "H100",
                             kMeasure + std::string("500ms --minimize energy --strategy exhaustive --policy repeated"));
  }

  nlohmann::json search(const std::string& options) {
    const Finished finished =
        run_with_stand_ins(folder_,
                           "tune --device replay:scale.journal.jsonl --strategy exhaustive --json -q --overwrite"
                           " --output replayed.jsonl " +
                               options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.json();
  }
  int clock_for(const std::string& options) { return search(options)["best"]["configuration"]["nvml_gr_clock"]; }

  TempFolder folder_;
  Finished measured_;
};

TEST_F(ClockedObjectives, EachHasItsOwnClock) {
  ASSERT_EQ(measured_.status, 0) << measured_.err;
  EXPECT_EQ(measured_.json()["best"]["configuration"]["nvml_gr_clock"], 1200);
  EXPECT_EQ(clock_for("--minimize time"), 1905);
  EXPECT_EQ(clock_for("--minimize energy"), 1200);
  EXPECT_EQ(clock_for("--minimize power"), 705);
  EXPECT_EQ(clock_for("--minimize edp"), 1905);
  EXPECT_EQ(clock_for("--minimize ed2p"), 1905);
  EXPECT_EQ(clock_for("--metric operations=1e6 --maximize operations_per_joule"), 1200);
  EXPECT_EQ(clock_for("--minimize energy --slowdown 50"), 1905);
  EXPECT_EQ(clock_for("--minimize energy --slowdown 70"), 1200);
  search("--minimize time --minimize energy");
  EXPECT_EQ(run_with_stand_ins(folder_, "show replayed.jsonl --json").json()["pareto"].size(), 2u);
}

}  // namespace
}  // namespace wattune::cli_test
