// `wattune advise` on recordings, and on a board of the stand-ins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/cuda_stand_ins.h"
#include "fakes/cuda/fake_board.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// Returns a cache of a kernel at these clocks. The core takes the share `core` of its time at 2000 MHz.
std::string cache_of(const std::string& kernel, double core,
                     const std::vector<double>& clocks = {500, 800, 1100, 1400, 1700, 2000}) {
  std::string text = fmt::format(
      R"({{"device_name":"A board","kernel_name":"{}","tune_params_keys":["nvml_gr_clock"],"objective":"time","cache":{{)",
      kernel);
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const double f = clocks[i];
    const double v = 1.0 + 5e-4 * std::max(0.0, f - 1000.0);
    const double milliseconds = 1.0 - core + core * 2000.0 / f;
    text += fmt::format("{}\n\"{}\":{{\"nvml_gr_clock\":{},\"time\":{},\"energy\":{}}}", i == 0 ? "" : ",", i, f,
                        milliseconds, (40.0 + 0.03 * f * v * v) * milliseconds * 1e-3);
  }
  return text + "}}";
}

class AdviseCommand : public testing::Test {
 protected:
  AdviseCommand() {
    for (int i = 0; i < 6; ++i)
      folder_.write(fmt::format("{}.json", i), cache_of(fmt::format("k{}", i), 0.1 + 0.15 * i));
    folder_.write("new.json", cache_of("new", 0.47));
  }
  std::vector<std::string> line(std::vector<std::string> more) const {
    std::vector<std::string> all = {"advise", "new.json", "--others"};
    for (int i = 0; i < 6; ++i) all.push_back(fmt::format("{}.json", i));
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  TempFolder folder_;
};

// The energies are 0.757, 0.624, 0.604, 0.690 and 0.823 of that at 2000 MHz, and the highest clock is measured first.
TEST_F(AdviseCommand, NamesTheClockAndWhatIsExpected) {
  const Finished finished = run_wattune(folder_, line({"--json"}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = finished.json();
  EXPECT_EQ(json["kernel"], "new");
  EXPECT_EQ(json["measured"].size(), 2u);
  EXPECT_EQ(json["measured"][0]["clock_mhz"], 2000.0);
  EXPECT_LE(json["recorded_regret"], 0.01);
  EXPECT_LT(json["energy"]["expected"], 0.8);
  EXPECT_FALSE(json["next"].is_null());
  const Finished text = run_wattune(folder_, line({}));
  EXPECT_THAT(text.out, HasSubstr("new: "));
  EXPECT_THAT(text.out, HasSubstr("regret"));
  EXPECT_THAT(text.out, HasSubstr("recorded"));
}

TEST_F(AdviseCommand, KeepsASlowdownAndACap) {
  const auto quick = run_wattune(folder_, line({"--slowdown", "10%", "--clocks", "3", "--json"})).json();
  EXPECT_GE(quick["clock_mhz"], 1700.0);
  const auto capped = run_wattune(folder_, line({"--power-cap", "90", "--clocks", "6", "--json"})).json();
  EXPECT_LE(capped["clock_mhz"], 1100.0);
  EXPECT_TRUE(capped["next"].is_null());
  EXPECT_EQ(capped["recorded_regret"], 0.0);
}

TEST_F(AdviseCommand, OneLineSaysWhatIsMissing) {
  const Finished two = run_wattune(folder_, {"advise", "new.json", "--others", "0.json", "1.json"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("kernels of 3 groups"));
  folder_.write("time.json",
                R"({"device_name":"A","kernel_name":"k","tune_params_keys":["x"],"cache":{"1":{"x":1,"time":2.0}}})");
  const Finished none = run_wattune(folder_, {"advise", "time.json", "--others", "0.json", "1.json", "2.json"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("two graphics clocks or more"));
  const Finished cap = run_wattune(folder_, line({"--power-cap", "10"}));
  EXPECT_NE(cap.status, 0);
  EXPECT_THAT(cap.err, HasSubstr("no clock keeps the limits"));
}

std::vector<std::string> with_others(std::vector<std::string> line) {
  line.emplace_back("--others");
  for (int i = 0; i < 6; ++i) line.push_back(fmt::format("{}.json", i));
  line.emplace_back("new.json");  // the kernel itself is none of the others
  return line;
}

// The least energy, 0.604 of that at 2000 MHz, is at 1100 MHz.
TEST_F(AdviseCommand, AMethodFollowsIt) {
  const Finished finished =
      run_wattune(folder_, with_others({"tune", "--device", "replay:new.json", "--method", "advised", "--json", "-q"}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["chosen"]["nvml_gr_clock"], 1100);
  EXPECT_LE(finished.json()["evaluated"], 5);
  const Finished analysed = run_wattune(folder_, with_others({"analyze", "new.json", "--methods", "--json"}));
  ASSERT_EQ(analysed.status, 0) << analysed.err;
  const auto methods = analysed.json()["results"][0]["methods"];
  const auto advised =
      std::find_if(methods.begin(), methods.end(), [](const auto& each) { return each["name"] == "advised"; });
  ASSERT_NE(advised, methods.end());
  EXPECT_EQ((*advised)["energy_ratio"], 1.0);
}

TEST_F(AdviseCommand, AMethodNeedsIt) {
  const Finished none = run_wattune(folder_, {"tune", "--device", "replay:new.json", "--method", "advised"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--others"));
  const Finished other =
      run_wattune(folder_, with_others({"tune", "--device", "replay:new.json", "--method", "global"}));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("--method advised has it"));
  EXPECT_EQ(run_wattune(folder_, with_others({"analyze", "new.json"})).status, 2);
}

// The text tells that a T1 JSON is a spec and no recording.
TEST_F(AdviseCommand, TakesEveryFormOfASpec) {
  folder_.write("k.cl", "kernel void k(global float* a) { a[0] = X; }");
  folder_.write("t1.json", R"({"ConfigurationSpace":{"TuningParameters":[{"Name":"X","Type":"int","Values":"[1, 2]"}]},
    "KernelSpecification":{"Language":"OpenCL","KernelName":"k","KernelFile":"k.cl","ProblemSize":[1],
      "LocalSize":{"X":"1","Y":"1","Z":"1"},"GlobalSize":{"X":"1","Y":"1","Z":"1"},
      "Arguments":[{"Name":"a","Type":"float","MemoryType":"Vector","AccessType":"ReadWrite","FillType":"Constant",
        "Size":1,"FillValue":0.0,"Output":1}]}})");
  const Finished finished = run_wattune(folder_, with_others({"advise", "t1.json"}));
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("two graphics clocks or more"));
}

// Writes a spec of a kernel that the stand-ins run, with the clocks of the others, and advises on it.
class AdviseOnBoard : public AdviseCommand {
 protected:
  AdviseOnBoard() {
    write_scale(folder_);
    std::string spec = folder_.read("scale.toml");
    spec.insert(spec.find("[reference]"), "nvml_gr_clock = [1005, 1200, 1395, 1590, 1755]\n");
    folder_.write("scale.toml", spec);
    for (int i = 0; i < 3; ++i)
      folder_.write(fmt::format("board{}.json", i),
                    cache_of(fmt::format("k{}", i), 0.2 + 0.3 * i, {1005, 1200, 1395, 1590, 1755}));
  }
  Finished advised(const std::string& more, const std::string& variables = "") const {
    return run_with_stand_ins(folder_,
                              "advise scale.toml --others board0.json board1.json board2.json --device cuda:0 " + more,
                              "WATTUNE_FAKE_BOARD=" + (folder_.path() / "board").string() + " " + variables);
  }
};

TEST_F(AdviseOnBoard, MeasuresClocksAndGivesTheBoardBack) {
  const Finished finished = advised("--json");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = finished.json();
  ASSERT_EQ(json["measured"].size(), 2u);
  EXPECT_EQ(json["measured"][0]["clock_mhz"], 1755.0);
  EXPECT_TRUE(json["recorded_regret"].is_null());
  fakes::FakeBoard board;
  const std::string bytes = folder_.read("board");
  std::memcpy(&board, bytes.data(), std::min(bytes.size(), sizeof board));
  EXPECT_GE(board.sets, 2u);
  EXPECT_EQ(board.graphics(), fakes::FakeBoard::kFullClock);
}

// Nothing may set the clocks, or another process computes.
TEST_F(AdviseOnBoard, OneLineSaysThatClocksCannotBeSet) {
  for (const std::string variables : {"WATTUNE_FAKE_NVML_SET=4", "WATTUNE_FAKE_NVML_PROCESSES=1"}) {
    const Finished finished = advised("", variables);
    EXPECT_EQ(finished.status, 3);
    EXPECT_THAT(finished.err, HasSubstr("`wattune advise` takes a recording instead of a spec"));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

// Each of these has one line that says what is wrong with which file.
TEST_F(AdviseCommand, OneLineForARecordingThatIsOfNoUse) {
  const auto with_bad = [&](const std::string& cells) {
    folder_.write("bad.json",
                  R"({"device_name":"A board","kernel_name":"bad","tune_params_keys":["nvml_gr_clock"],"cache":{)" +
                      cells + "}}");
    return run_wattune(folder_, {"advise", "new.json", "--others", "0.json", "1.json", "2.json", "bad.json"});
  };
  const Finished negative = with_bad(R"("0":{"nvml_gr_clock":500,"time":1.0,"power":-4.0},
                                        "1":{"nvml_gr_clock":2000,"time":1.0,"power":40.0})");
  EXPECT_EQ(negative.status, 2);
  EXPECT_THAT(negative.err, HasSubstr("is not above 0"));
  EXPECT_THAT(negative.err, HasSubstr("bad.json"));
  const Finished throttled = with_bad(R"("0":{"nvml_gr_clock":500,"time":1.0,"energy":0.1,"energy_throttled":0.4},
                                         "1":{"nvml_gr_clock":2000,"time":1.0,"energy":0.2,"energy_throttled":1.0})");
  EXPECT_EQ(throttled.status, 2);
  EXPECT_THAT(throttled.err, HasSubstr("held the clock down"));
  const Finished stray = with_bad(R"("0":{"nvml_gr_clock":500,"time":1.0,"energy":0.1},
                                     "1":{"nvml_gr_clock":1100,"time":1.0,"energy":0.5},
                                     "2":{"nvml_gr_clock":2000,"time":1.0,"energy":0.2})");
  EXPECT_EQ(stray.status, 0);
  EXPECT_THAT(stray.err, HasSubstr("bad.json: the power at 1100 MHz stands out"));
  folder_.write("other.json", cache_of("k9", 0.5, {500, 2000}).replace(16, 7, "A twin!"));
  const Finished boards =
      run_wattune(folder_, {"advise", "new.json", "--others", "0.json", "1.json", "2.json", "other.json"});
  EXPECT_EQ(boards.status, 0);
  EXPECT_THAT(boards.err, HasSubstr("other.json is of A twin!, and new.json of A board"));
  const Finished elsewhere = with_bad(R"("0":{"nvml_gr_clock":555,"time":1.0,"energy":0.1},
                                         "1":{"nvml_gr_clock":777,"time":1.0,"energy":0.1})");
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("two clocks"));
}

// Returns a cache like cache_of(), with this text as the memory's clock.
std::string cache_at_memory(const std::string& kernel, double core, const std::string& memory) {
  std::string text = cache_of(kernel, core);
  const auto replace_all = [&](const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  };
  replace_all(R"("tune_params_keys":["nvml_gr_clock"])", R"("tune_params_keys":["nvml_gr_clock","nvml_mem_clock"])");
  replace_all(R"({"nvml_gr_clock":)", R"({"nvml_mem_clock":)" + memory + R"(,"nvml_gr_clock":)");
  return text;
}

TEST_F(AdviseCommand, OneLineForAMemoryClockThatIsUnknownOrAnother) {
  const auto advised_with = [&](const std::string& memory) {
    folder_.write("memory.json", cache_at_memory("m", 0.4, memory));
    return run_wattune(folder_, {"advise", "new.json", "--others", "0.json", "1.json", "2.json", "memory.json"});
  };
  for (const std::string unknown : {"0", "-1", R"("default")"}) {
    const Finished finished = advised_with(unknown);
    EXPECT_EQ(finished.status, 2) << unknown;
    EXPECT_THAT(finished.err, HasSubstr("memory.json: the memory's clock of a recorded configuration is unknown"));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
  const Finished other = advised_with("810");
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.err,
              HasSubstr("memory.json is at a memory clock of 810 MHz, and new.json at a memory clock that it "
                        "does not tell: advice holds for one memory clock"));
  folder_.write("memory.json", cache_at_memory("m", 0.4, "0"));
  const Finished analysed = run_wattune(folder_, {"analyze", "memory.json", "--methods"});
  EXPECT_THAT(analysed.out, HasSubstr("the memory's clock of 6 configurations is unknown"));
  const Finished tuned = run_wattune(folder_, {"tune", "--device", "replay:memory.json", "--method", "global"});
  EXPECT_THAT(tuned.err, HasSubstr("the memory's clock of 6 configurations is unknown"));
}

// Three clocks are enough for advice, and too few for the fit of model-steered.
TEST_F(AdviseCommand, ThreeClocksAreToldWhereTheyAreTooFew) {
  folder_.write("three.json", cache_of("three", 0.5, {500, 1100, 2000}));
  const Finished advised = run_wattune(folder_, {"advise", "three.json", "--others", "0.json", "1.json", "2.json"});
  EXPECT_EQ(advised.status, 0) << advised.err;
  const Finished analysed = run_wattune(folder_, {"analyze", "three.json", "--methods"});
  EXPECT_EQ(analysed.status, 0) << analysed.err;
  EXPECT_THAT(analysed.out, HasSubstr("a fit needs samples of 5 clocks"));
}

}  // namespace
}  // namespace wattune::cli_test
