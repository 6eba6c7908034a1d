// `wattune report`: one HTML file, of results that need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"
#include "report/page_parts.h"
#include "source_dir.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::cli_test {
namespace {

using report::commands_in;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kRecordedCache = R"({"device_name": "Some GPU", "kernel_name": "add", "problem_size": 1000,
"tune_params_keys": ["block"], "tune_params": {"block": [64, 128, 256]}, "objective": "time",
"cache": {
"64": {"block": 64, "time": 2.0, "times": [2.0, 2.1, 1.9]},
"128": {"block": 128, "time": 1.0, "times": [1.0, 1.0]},
"256": {"block": 256, "time": "RuntimeFailedConfig"}}}
)";

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override { folder_.write("cache.json", kRecordedCache); }
  TempFolder folder_;
};

TEST_F(ReportCommand, WritesAPageThatNamesTheBestAndTheNextCommand) {
  const Finished finished = run_wattune(folder_, {"report", "cache.json", "--output", "page.html"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out + finished.err, "");
  const std::string page = folder_.read("page.html");
  EXPECT_THAT(
      page, AllOf(HasSubstr("<title>add on Some GPU</title>"), HasSubstr("<b>128</b>"), HasSubstr("runtime, 1 time")));
  EXPECT_THAT(commands_in(page), HasSubstr("wattune export cache.json --format header --output add_tuned.h\n"));
}

TEST_F(ReportCommand, ReplacesAFileOnlyIfTold) {
  folder_.write("page.html", "mine");
  const Finished refused = run_wattune(folder_, {"report", "cache.json", "-o", "page.html"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "wattune: error: the file exists: `page.html` (--overwrite replaces it)\n");
  EXPECT_EQ(folder_.read("page.html"), "mine");
  EXPECT_EQ(run_wattune(folder_, {"report", "cache.json", "-o", "page.html", "--overwrite"}).status, 0);
  EXPECT_THAT(folder_.read("page.html"), HasSubstr("</html>"));
}

TEST_F(ReportCommand, PutsSeveralFilesSideBySide) {
  std::string other = kRecordedCache;
  other.replace(other.find("Some GPU"), 8, "Other GPU");
  folder_.write("other.json", other);
  ASSERT_EQ(run_wattune(folder_, {"report", "cache.json", "other.json", "-o", "both.html"}).status, 0);
  EXPECT_THAT(folder_.read("both.html"),
              AllOf(HasSubstr("2 runs side by side"), HasSubstr("The best of Other GPU takes")));
}

// A mistake in one file leaves nothing behind.
TEST_F(ReportCommand, WritesNothingIfAFileCannotBeRead) {
  folder_.write("bad.json", "{\"cache\": 3}");
  const Finished finished = run_wattune(folder_, {"report", "cache.json", "bad.json", "-o", "page.html"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("bad.json"));
  EXPECT_FALSE(folder_.has("page.html"));
}

// A short document of `corun`: a pair with a verdict, as docs/formats/json.md describes it.
constexpr const char* kPairs = R"({"device": "Some GPU", "simulated": false, "repeats": 3, "seed": 1,
"notes": ["copy runs whole only"], "queue": null, "tenants": null, "pairs": [{"kernels": ["fma", "copy"],
"repetitions": [4, 5], "alone_ms": [7.0, 8.0], "rows": [
{"way": "in_turn", "ratio": null, "sms_of_first": null, "urgent": null, "makespan_ms": 15.0, "gain": 0.0},
{"way": "shares", "ratio": [4, 2], "sms_of_first": null, "urgent": null, "makespan_ms": 12.0, "gain": 0.25,
 "interval": [0.24, 0.26], "error": null},
{"way": "split", "ratio": null, "sms_of_first": 66, "urgent": null, "makespan_ms": 16.0, "gain": -0.06}],
"planned": {"way": "shares", "ratio": [4, 2], "forecast_rates": [0.7, 0.6], "makespan_ms": 12.1, "gain": 0.24},
"verdict": {"best": 1, "gain": 0.25, "interval": [0.23, 0.27], "gains": true, "withheld": null},
"outputs": {"compared": 3, "not_compared": [], "differences": ["copy: element 3 differs"]}}]})";

TEST_F(ReportCommand, TellsTheBestWayOfAPair) {
  folder_.write("pairs.json", kPairs);
  ASSERT_EQ(run_wattune(folder_, {"report", "pairs.json", "-o", "page.html"}).status, 0);
  EXPECT_THAT(
      folder_.read("page.html"),
      AllOf(HasSubstr("<p class=\"figure\">fma with copy</p>"), HasSubstr(">Decided by a rerun<"), HasSubstr("+25.0 %"),
            HasSubstr("every SM shared, 4 blocks of fma and 2 of copy"), HasSubstr("+23.0\u00a0% to +27.0\u00a0%"),
            HasSubstr("They gain: the interval of the rerun lies above 0."),
            HasSubstr("Outputs differ: copy: element 3 differs"), HasSubstr("SMs of their own")));
}

TEST_F(ReportCommand, TellsTheFastestPolicyOfAQueueOrThatTheyAreLevel) {
  const std::string queue = WATTUNE_SOURCE_DIR "/docs/results/h200/corun/orders_of_policies.json";
  ASSERT_EQ(run_wattune(folder_, {"report", queue, "-o", "page.html"}).status, 0);
  EXPECT_THAT(folder_.read("page.html"), AllOf(HasSubstr("streams, paired, fifo are level"), HasSubstr(">Level<"),
                                               HasSubstr("The plan of pairs"), HasSubstr("gain over streams (%)")));
  EXPECT_THAT(commands_in(folder_.read("page.html")),
              HasSubstr("wattune corun SPEC SPEC --policies paired,split,streams,fifo --works 20 --repeats 15 --json"));
  const std::string tenants = WATTUNE_SOURCE_DIR "/docs/results/h200/tenants/kepler-mandel-gather-5ms.json";
  ASSERT_EQ(run_wattune(folder_, {"report", tenants, "-o", "tenants.html"}).status, 0);
  EXPECT_THAT(folder_.read("tenants.html"),
              AllOf(HasSubstr("a backlog"), HasSubstr("0.73 (0.70 to 0.75)"),
                    HasSubstr("Which policy won</p><p class=\"figure\">paired<"), HasSubstr("+7.9 % work")));
  EXPECT_THAT(commands_in(folder_.read("tenants.html")),
              HasSubstr("--tenant chat=kepler,priority=1,poisson=5ms --tenant mandel=mandel --tenant gather=gather"));
}

TEST_F(ReportCommand, TellsTheBestStrategyOfScores) {
  std::string cache = R"({"device_name": "Some GPU", "kernel_name": "add", "problem_size": 1, "tune_params_keys": ["b"],
"tune_params": {"b": [)";
  std::string entries;
  for (int i = 1; i <= 60; ++i) {
    cache += (i > 1 ? "," : "") + std::to_string(i);
    entries += (i > 1 ? "," : "") + ("\"" + std::to_string(i) + "\": {\"b\": " + std::to_string(i) +
                                     ", \"time\": " + std::to_string(1 + i * 37 % 61) + ".0, \"times\": [1.0]}");
  }
  folder_.write("space.json", cache + "]}, \"objective\": \"time\", \"cache\": {" + entries + "}}");
  const Finished scored = run_wattune(folder_, {"score", "--strategy", "random,greedy_ils", "--spaces", "space.json",
                                                "--repeats", "3", "--clock", "evaluations", "--json", "--quiet"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  folder_.write("scores.json", scored.out);
  ASSERT_EQ(run_wattune(folder_, {"report", "scores.json", "-o", "page.html"}).status, 0);
  EXPECT_THAT(folder_.read("page.html"),
              AllOf(HasSubstr("Which strategy searches best"), HasSubstr("greedy_ils"),
                    HasSubstr("What it is worth over random search"), HasSubstr("score, with its 95 % interval")));
  EXPECT_THAT(commands_in(folder_.read("page.html")), HasSubstr("wattune tune SPEC --strategy "));
}

TEST_F(ReportCommand, TellsWhatATunerInAnApplicationDid) {
  dynamic::Report report;
  report.running = nanoseconds_from_seconds(10);
  report.saved = nanoseconds_from_ms(900);
  report.stalls.loading = nanoseconds_from_ms(20);
  report.stalls.screening = nanoseconds_from_ms(30);
  report.longest_stall = nanoseconds_from_ms(2.5);
  report.histogram.counts[3] = 7;
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"block"});
  dynamic::KeyReport key{.key = {{"rows", 1024}}, .best = Configuration(0, names, {64}), .calls = 5};
  key.failures = {{Configuration(1, names, {32}), Status::compile, "no <type>"}};
  report.kernels = {{.kernel = "scale", .calls = 5, .keys = {key}}};
  folder_.write("tuner.json", dynamic::report_json(report));
  ASSERT_EQ(run_wattune(folder_, {"report", "tuner.json", "-o", "page.html"}).status, 0);
  EXPECT_THAT(folder_.read("page.html"),
              AllOf(HasSubstr(">Yes<"), HasSubstr("Calls took 900 ms less"), HasSubstr("Stalls took 50 ms of 10 s"),
                    HasSubstr("<td class=t>scale<td class=t>rows=1024<td class=t>block=64"),
                    HasSubstr("no &lt;type&gt;"), HasSubstr("<tr><td>8 us<td>7"), HasSubstr("block=32")));
}

TEST_F(ReportCommand, ShowsAWisdomFile) {
  const std::string wisdom = WATTUNE_SOURCE_DIR "/tests/older/app.wisdom";
  ASSERT_EQ(run_wattune(folder_, {"report", wisdom, "-o", "page.html"}).status, 0);
  const std::string page = folder_.read("page.html");
  EXPECT_THAT(page,
              AllOf(HasSubstr("<title>Wisdom in app.wisdom</title>"), HasSubstr(">1 best configuration<"),
                    HasSubstr(">1 of 1 tuned to the end<"), HasSubstr("Measured offline: 1."),
                    HasSubstr("<td class=t>saxpy<td class=t>"), HasSubstr("<td>275.1 us<td>213.2 us<td>383.1 us")));
  EXPECT_THAT(commands_in(page), HasSubstr("app.wisdom --format header --output tuned.h"));
}

// A journal of an older version has no rerun of the best ways, and says so.
TEST_F(ReportCommand, ShowsAJournalOfPairs) {
  const std::string journal = WATTUNE_SOURCE_DIR "/tests/older/corun.jsonl";
  ASSERT_EQ(run_wattune(folder_, {"report", journal, "-o", "page.html"}).status, 0);
  const std::string page = folder_.read("page.html");
  EXPECT_THAT(page, AllOf(HasSubstr("PC with TEA"), HasSubstr("did not run the best ways again"),
                          HasSubstr("What the policy paired reaches</p><p class=\"figure\">+40.5 %<"),
                          HasSubstr("SMs of their own, 1 for PC")));
  EXPECT_THAT(commands_in(page), HasSubstr("wattune corun SPEC SPEC --repeats 9 --json"));
}

// Three clocks of one code, whose energy is the least at the middle one.
constexpr const char* kClocks = R"({"device_name": "Some GPU", "kernel_name": "add", "problem_size": 1000,
"tune_params_keys": ["nvml_gr_clock", "block"], "tune_params": {"nvml_gr_clock": [900, 1200, 1500], "block": [64, 128]},
"objective": "time", "cache": {
"900,64": {"nvml_gr_clock": 900, "block": 64, "time": 3.0, "times": [3.0], "nvml_energy": 0.33},
"1200,64": {"nvml_gr_clock": 1200, "block": 64, "time": 2.0, "times": [2.0], "nvml_energy": 0.25},
"1500,64": {"nvml_gr_clock": 1500, "block": 64, "time": 1.6, "times": [1.6], "nvml_energy": 0.4},
"900,128": {"nvml_gr_clock": 900, "block": 128, "time": 3.3, "times": [3.3], "nvml_energy": 0.35},
"1200,128": {"nvml_gr_clock": 1200, "block": 128, "time": 2.2, "times": [2.2], "nvml_energy": 0.28},
"1500,128": {"nvml_gr_clock": 1500, "block": 128, "time": 1.8, "times": [1.8], "nvml_energy": 0.45}}})";

TEST_F(ReportCommand, ComparesMethodsForEnergy) {
  folder_.write("clocks.json", kClocks);
  const Finished analysed = run_wattune(folder_, {"analyze", "clocks.json", "--methods", "--json"});
  ASSERT_EQ(analysed.status, 0) << analysed.err;
  folder_.write("methods.json", analysed.out);
  ASSERT_EQ(run_wattune(folder_, {"report", "methods.json", "-o", "page.html"}).status, 0);
  const std::string page = folder_.read("page.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<title>Methods for add on Some GPU</title>"), HasSubstr("Which method won"),
                          HasSubstr("37.5 % less energy"), HasSubstr("It costs 25.0\u00a0% more time."),
                          HasSubstr("<td class=t>race-to-idle<td>0.4 J<td>1.600<td>1.6 ms<td>6<td class=t>"),
                          HasSubstr("The least energy at each graphics clock")));
  EXPECT_THAT(commands_in(page), HasSubstr("wattune tune SPEC --method "));
  const Finished plain = run_wattune(folder_, {"analyze", "clocks.json", "--json"});
  folder_.write("plain.json", plain.out);
  const Finished refused = run_wattune(folder_, {"report", "plain.json", "-o", "plain.html"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("plain.json: it has no methods (`wattune analyze --methods --json` writes them"));
}

TEST_F(ReportCommand, SaysWhichMemberOfADocumentIsWrong) {
  folder_.write("bad.json", R"({"simulated": false, "repeats": 3, "pairs": 7})");
  const Finished finished = run_wattune(folder_, {"report", "bad.json", "-o", "page.html"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.err, "wattune: error: bad.json: \"pairs\" is no array\n");
}

TEST_F(ReportCommand, TuneWritesThePageAtItsEnd) {
  const std::vector<std::string> tune = {"tune", "--device", "replay:cache.json", "--quiet", "--report", "page.html"};
  ASSERT_EQ(run_wattune(folder_, tune).status, 0);
  EXPECT_THAT(folder_.read("page.html"), HasSubstr("add on Some GPU"));
  EXPECT_THAT(commands_in(folder_.read("page.html")), HasSubstr("wattune export add.replay.journal.jsonl"));
  const Finished again = run_wattune(folder_, tune);
  EXPECT_EQ(again.status, 2);
  EXPECT_EQ(again.err, "wattune: error: the file exists: `page.html` (--overwrite replaces it)\n");
  std::vector<std::string> overwrite = tune;
  overwrite.push_back("--overwrite");
  EXPECT_EQ(run_wattune(folder_, overwrite).status, 0);
}

}  // namespace
}  // namespace wattune::cli_test
