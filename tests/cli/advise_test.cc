// `wattune advise` on recordings, and on a board of the stand-ins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// Returns a cache of a kernel at six clocks. The core takes the share `core` of its time at 2000 MHz.
std::string cache_of(const std::string& kernel, double core) {
  std::string text = fmt::format(
      R"({{"device_name":"A board","kernel_name":"{}","tune_params_keys":["nvml_gr_clock"],"objective":"time","cache":{{)",
      kernel);
  for (int i = 0; i < 6; ++i) {
    const double f = 500.0 + 300.0 * i;
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

}  // namespace
}  // namespace wattune::cli_test
