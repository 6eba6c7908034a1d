// Pages of tuning runs: their answers, their data, their sizes, and what becomes of hostile texts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "report/interface/page.h"
#include "report/page/sha256.h"
#include "report/page_parts.h"
#include "report/results_builder.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const ResultSet& results, const std::string& file = "add.journal.jsonl") {
  return write_page({results}, {file});
}

std::string hex_of(std::string_view text) {
  std::string hex;
  for (const std::uint8_t byte : sha256(text)) hex += fmt::format("{:02x}", byte);
  return hex;
}

// Examples of NIST for FIPS 180-4, and a text whose padding takes a block of its own.
TEST(Sha256, GivesTheHashesOfTheStandard) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(policy_hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

ResultSet decided_run() {
  ResultsBuilder builder = one_parameter().default_values({1});
  builder.time({1}, 4000, 40).in_final(FinalPlace::behind, 4100);
  builder.time({2}, 2000, 20).in_final(FinalPlace::winner, 2010, PairedGain{2.0, 1.95, 2.05});
  builder.time({4}, 2010, 20).in_final(FinalPlace::tied, 2020, PairedGain{1.99, 1.94, 2.04});
  builder.time({8}, 9000, 90);
  return builder;
}

TEST(Page, TellsTheWinnerOfAFinalAndItsGain) {
  const std::string page = page_of(decided_run());
  const std::string answer = section_in(page, "answer");
  EXPECT_THAT(answer, AllOf(HasSubstr(">2.000 us<"), HasSubstr("x <b>2</b> <span>default 1</span>")));
  EXPECT_THAT(answer, AllOf(HasSubstr("Level with 1 more"), HasSubstr("in which 3 configurations ran in turns")));
  EXPECT_THAT(answer, HasSubstr("lies between 1.980 us and 2.020 us (95\u00a0%)"));
  EXPECT_THAT(answer, AllOf(HasSubstr("2.00 times as fast"), HasSubstr("lies between 1.95 and 2.05 (95\u00a0%)")));
  EXPECT_THAT(page, HasSubstr("<title>add on Device A</title>"));
}

TEST(Page, TellsTheExportThatUsesTheBest) {
  const std::string next = commands_in(section_in(page_of(decided_run(), "my runs/it's.jsonl"), "next"));
  EXPECT_THAT(next, HasSubstr("wattune export 'my runs/it'\\''s.jsonl' --format header --output add_tuned.h"));
  EXPECT_THAT(commands_in(section_in(page_of(decided_run(), "-x.jsonl"), "next")),
              HasSubstr("wattune export ./-x.jsonl "));
}

TEST(Page, SaysWhyTheRankingIsNotSure) {
  const auto answer = [](const ResultSet& results) { return section_in(page_of(results), "answer"); };
  EXPECT_THAT(answer(one_parameter().time({1}, 100, 1).time({2}, 101, 1)), HasSubstr("Level with 1 more"));
  EXPECT_THAT(answer(one_parameter().time({1}, 100, 1).time({2}, 200, 1)),
              AllOf(HasSubstr(">Likely<"), HasSubstr("No final was held")));
  EXPECT_THAT(answer(one_parameter().time({1}, 100).time({2}, 200)), HasSubstr(">Not known<"));
}

TEST(Page, SaysWhatIsKnownOfTheDefault) {
  const auto worth = [](const ResultSet& results) { return section_in(page_of(results), "answer"); };
  EXPECT_THAT(worth(one_parameter().time({1}, 100)), HasSubstr("The default configuration was not recorded."));
  EXPECT_THAT(worth(one_parameter().default_values({2}).time({1}, 100).failure({2}, Status::runtime, "x")),
              HasSubstr("The default configuration failed (runtime)."));
  const ResultSet best = one_parameter().default_values({1}).time({1}, 100).time({2}, 200);
  EXPECT_THAT(worth(best), HasSubstr("No other configuration proved better than the default."));
  EXPECT_THAT(commands_in(section_in(page_of(best), "next")), Not(HasSubstr("wattune export")));
}

// Where nothing is known of the default, the median takes its place, and a command measures the default.
TEST(Page, ComparesWithTheMedianIfTheDefaultIsNotKnown) {
  const std::string page = page_of(one_parameter().time({1}, 100).time({2}, 300).time({4}, 400));
  EXPECT_THAT(section_in(page, "answer"),
              HasSubstr("It is 3.00 times as fast as the median of the 3 correct configurations."));
  EXPECT_THAT(commands_in(section_in(page, "next")), HasSubstr("wattune run SPEC\n"));
}

TEST(Page, SaysWhatGoesOnWithASearch) {
  const auto next = [](const ResultSet& results, const std::string& file) {
    return commands_in(section_in(page_of(results, file), "next"));
  };
  const ResultSet undecided = one_parameter().default_values({1}).time({1}, 100, 1).time({2}, 200, 1).time({4}, 300, 1);
  EXPECT_THAT(next(undecided, "a.jsonl"), HasSubstr("wattune tune SPEC --output a.jsonl --resume --time 10m"));
  EXPECT_THAT(next(undecided, "a.jsonl.xz"),
              HasSubstr("xz --decompress --keep a.jsonl.xz &amp;&amp; wattune tune SPEC --output a.jsonl --resume"));
  EXPECT_THAT(next(undecided, "a.json"), HasSubstr("wattune tune SPEC --warm-start a.json --time 10m"));
  ResultSet together = undecided;
  together.info.identity = {{"launch order", "one, two, three"}};
  EXPECT_THAT(next(together, "a.jsonl"),
              HasSubstr("wattune tune --together SPEC SPEC SPEC --output a.jsonl --resume --time 10m"));
  EXPECT_THAT(next(decided_run(), "a.jsonl"), Not(HasSubstr("wattune tune")));
}

TEST(Page, TellsWhetherAllCombinationsWereEvaluated) {
  const auto answer = [](const ResultSet& results) { return section_in(page_of(results), "answer"); };
  ResultsBuilder all = one_parameter();
  all.time({1}, 100).time({2}, 200).time({4}, 300);
  EXPECT_THAT(answer(all), Not(HasSubstr("no other is left to try")));
  EXPECT_THAT(answer(all.failure({8}, Status::compile, "x")),
              HasSubstr("All 4 combinations of the values were evaluated, so that no other is left to try."));
}

// The uncertainty of an objective tells how many others cannot be told from the best.
TEST(Page, TellsHowSureAnObjectiveIsByItsUncertainty) {
  const auto answer_of = [](double uncertainty) {
    ResultSet results = one_parameter().time({1}, 100, 1).time({2}, 90, 1);
    results.info.objectives = {{"energy"}};
    const double joules[] = {1.0, 1.1};
    for (std::size_t i = 0; i < 2; ++i) {
      results.trials[i].observation.metrics = {{"energy", joules[i], "J", uncertainty}};
      results.trials[i].observation.objective_value = joules[i];
    }
    const std::string page = page_of(results);
    EXPECT_THAT(section_in(page, "history"), HasSubstr("The best energy so far over the evaluations"));
    return section_in(page, "answer");
  };
  EXPECT_THAT(answer_of(0.01), AllOf(HasSubstr(">1 J<"), HasSubstr("The search was for the least energy."),
                                     HasSubstr(">Likely<"), HasSubstr("Its energy is known to 1.0\u00a0%")));
  EXPECT_THAT(answer_of(0.06), HasSubstr(">Level with 1 more<"));
}

TEST(Page, TellsHowNearTheBestIsToALimitThatWasCounted) {
  ResultSet results = one_parameter().time({1}, 100);
  EXPECT_THAT(section_in(page_of(results), "answer"), HasSubstr("No counter of the device was recorded"));
  EXPECT_THAT(commands_in(section_in(page_of(results), "next")), Not(HasSubstr("--observe")));
  results.info.device.backend = "cuda";
  EXPECT_THAT(commands_in(section_in(page_of(results), "next")),
              HasSubstr("wattune run SPEC --configuration x=1 --observe dram_utilization,compute_utilization"));
  results.trials.front().observation.metrics = {{"dram_utilization", 80.0, "%"}, {"compute_utilization", 30.0, "%"}};
  EXPECT_THAT(section_in(page_of(results), "answer"),
              AllOf(HasSubstr("80.0\u00a0% of the bandwidth of device memory"), HasSubstr("1.25 times as fast")));
}

// A rate that the kernel's own metrics give is set beside the published peak of a device that the table has.
TEST(Page, TellsALimitWithoutCounters) {
  const auto answer = [](const std::string& device, const Metric& metric) {
    ResultSet results = one_parameter().time({1}, 100);
    results.info.device.name = device;
    results.trials.front().observation.metrics = {metric};
    return section_in(page_of(results), "answer");
  };
  EXPECT_THAT(answer("NVIDIA H200", {"bytes_per_second", 3.6e12, ""}),
              AllOf(HasSubstr(">75 %<"), HasSubstr("3,600 GB/s, and the published peak of device memory is 4,800."),
                    HasSubstr("1.33 times as fast, if all of these bytes")));
  EXPECT_THAT(answer("NVIDIA H200", {"gflops", 33450, ""}), HasSubstr(">50 %<"));
  EXPECT_THAT(answer("NVIDIA H200", {"rate", 2400, "GB/s"}), HasSubstr(">50 %<"));
  EXPECT_THAT(answer("NVIDIA H200", {"gflops", 1338, ""}),
              AllOf(HasSubstr(">2 %<"), HasSubstr("something else holds")));
  const auto is_not_known = HasSubstr("How near the limit</p><p class=\"figure\">Not known<");
  EXPECT_THAT(answer("NVIDIA H200", {"gflops", 90000, ""}), is_not_known) << "more than the peak counts something else";
  EXPECT_THAT(answer("NVIDIA H200", {"bandwidth", 3600, ""}), is_not_known) << "of an unknown unit";
  EXPECT_THAT(answer("Some GPU", {"gflops", 100, ""}), is_not_known);
}

TEST(Page, OfAnEmptyRunSaysSo) {
  const std::string page = page_of(one_parameter());
  EXPECT_THAT(section_in(page, "answer"), AllOf(HasSubstr(">Nothing<"), HasSubstr("No configuration was evaluated.")));
  EXPECT_THAT(commands_in(section_in(page, "next")),
              HasSubstr("wattune tune SPEC --output add.journal.jsonl --resume"));
  EXPECT_TRUE(data_in(page).empty());
  EXPECT_THAT(page_of(ResultSet()), HasSubstr("No configuration was evaluated."));
  EXPECT_THAT(write_page({}, {}), HasSubstr("<main>"));
}

TEST(Page, OfFailuresOnlySaysSoWithAnExampleOfEachKind) {
  const std::string page = page_of(one_parameter()
                                       .failure({1}, Status::compile, "no such type")
                                       .failure({2}, Status::compile, "no such type")
                                       .failure({4}, Status::timeout, "took too long"));
  EXPECT_THAT(section_in(page, "answer"), HasSubstr("None of 3 evaluations gave a correct result."));
  EXPECT_THAT(section_in(page, "failures"),
              AllOf(HasSubstr("<td class=t>no such type<td class=t>x=1<td>2"),
                    HasSubstr("<td class=t>took too long<td class=t>x=4<td>1"), HasSubstr("timeout, 1 time:")));
  EXPECT_THAT(commands_in(section_in(page, "next")), HasSubstr("wattune run SPEC --configuration x=1"));
}

// Makes a run of this many Trials, in which every tenth fails.
ResultSet large(int trials) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 14; ++p)
    parameters.push_back({.name = fmt::format("PARAM{}", p), .values = {1, 2, 4, 8, 16, 32}});
  ResultsBuilder builder(std::move(parameters));
  builder.default_values(std::vector<Value>(14, 1));
  for (int i = 0; i < trials; ++i) {
    std::vector<Value> values;
    for (int p = 0, rest = i; p < 14; ++p, rest /= 6) values.emplace_back(1 << (rest + p) % 6);
    if (i == 0) values.assign(14, 1);
    if (i % 10 == 9)
      builder.failure(std::move(values), Status::runtime, fmt::format("error {}", i % 70));
    else
      builder.time(std::move(values), 1e6 + 1e3 * ((i * 7919) % 10007), 2e3);
  }
  return builder;
}

TEST(Page, HasTheBestThousandWithoutScriptsAndAllTrialsAsData) {
  const ResultSet results = large(2000);
  const std::string page = page_of(results);
  EXPECT_EQ(count_of(section_in(page, "trials"), "<tr><td>"), 1000u);
  ASSERT_EQ(data_in(page).size(), 1u);
  const nlohmann::json data = data_in(page).front();
  EXPECT_EQ(data["rows"], 2000);
  EXPECT_EQ(data["ranked"], 1800);
  EXPECT_EQ(data["status"].size(), 200u);
  EXPECT_EQ(data["statuses"][data["status"][0].get<int>()], "runtime");
  for (const auto& column : data["columns"])
    EXPECT_EQ(column[column.contains("lo") ? "lo" : "v"].size(), 2000u) << column["t"];
  const auto& times = data["columns"][data["time"].get<int>()];
  EXPECT_EQ(times["t"], "time (ms)");
  EXPECT_TRUE(std::is_sorted(times["v"].begin(), times["v"].begin() + 1800));
  EXPECT_TRUE(times["v"][1800].is_null());
}

// The table without scripts and the data agree, so that sorting changes no figure.
TEST(Page, TableAndDataAgree) {
  const std::string page = page_of(decided_run());
  const nlohmann::json data = data_in(page).front();
  std::vector<std::string> titles;
  for (const auto& column : data["columns"]) titles.push_back(column["t"]);
  EXPECT_EQ(titles, (std::vector<std::string>{"#", "time (us)", "interval", "vs default", "x", "evaluation"}));
  EXPECT_THAT(section_in(page, "trials"), AllOf(HasSubstr("<tr><td>1<td>2.000<td>1.980 .. 2.020<td>2.00x<td>2<td>2"),
                                                HasSubstr("<tr><td>=2<td>2.010<td>1.990 .. 2.030<td>1.99x<td>4<td>3"),
                                                HasSubstr("<tr><td>4<td>9.000<td>8.910 .. 9.090<td>~0.46x<td>8<td>4")));
  EXPECT_EQ(data["columns"][0]["of"], nlohmann::json({1}));
  EXPECT_EQ(data["columns"][3]["of"], nlohmann::json({3}));
  EXPECT_EQ(data["columns"][1]["f"], 3);
  EXPECT_EQ(data["columns"][4]["d"], nlohmann::json({"1", "2", "4", "8"}));
  EXPECT_EQ(data["columns"][4]["v"], nlohmann::json({1, 2, 0, 3}));
}

TEST(Page, IsSmallEnoughToPassOn) {
  EXPECT_LT(page_of(large(1000)).size(), 500'000u);
  EXPECT_LT(page_of(large(20'000)).size(), 6'000'000u);
}

// The policy allows the script and the style of the page, and nothing else; no part asks for anything from elsewhere.
TEST(Page, ForbidsEveryRequestAndAllowsItsOwnScriptAndStyleByHash) {
  const std::string page = page_of(decided_run());
  const std::vector<std::string> styles = between(page, "<style>", "</style>");
  const std::vector<std::string> scripts = between(page, "<script>", "</script>");
  ASSERT_EQ(styles.size(), 1u);
  ASSERT_EQ(scripts.size(), 1u);
  EXPECT_THAT(page, HasSubstr(fmt::format("content=\"default-src 'none'; script-src '{}'; style-src '{}'; "
                                          "base-uri 'none'; form-action 'none'\"",
                                          policy_hash(scripts[0]), policy_hash(styles[0]))));
  for (const char* part :
       {" style=", " src=", "url(", "@import", " onclick", "href=\"http", "<link", "<img", "<iframe"})
    EXPECT_THAT(page, Not(HasSubstr(part)));
  EXPECT_EQ(count_of(page, "http://www.w3.org/2000/svg"), count_of(page, "http:") + count_of(page, "https:"));
}

TEST(Page, PicturesTakeTheColoursOfThePageAndHaveATableBehind) {
  const std::string history = section_in(page_of(decided_run()), "history");
  EXPECT_THAT(history, AllOf(HasSubstr("role=\"img\" aria-label=\"The best time so far"), HasSubstr("var(--orange)"),
                             Not(HasSubstr("#d9730d"))));
  EXPECT_THAT(history, HasSubstr("<details><summary>The figures of this picture as a table</summary>"));
}

TEST(Page, PutsSeveralRunsSideBySide) {
  ResultSet slower = one_parameter().default_values({1}).time({1}, 5000, 50).time({2}, 3000, 30);
  slower.info.device.name = "Device B";
  const std::string page = write_page({decided_run(), slower, one_parameter()}, {"a.jsonl", "b.jsonl", "c.jsonl"});
  EXPECT_EQ(count_of(page, "<div class=\"part\""), 4u);
  EXPECT_THAT(section_in(page, "part-1-comparison"),
              AllOf(HasSubstr("2.000 us<td>1.980 us to 2.020 us"), HasSubstr("nothing won"), HasSubstr("2 of 2")));
  EXPECT_THAT(section_in(page, "part-3-answer"), HasSubstr("3.000 us"));
  EXPECT_EQ(data_in(page).size(), 2u);
  const std::string alike =
      section_in(write_page({decided_run(), slower}, {"a.jsonl", "b.jsonl"}), "part-1-comparison");
  EXPECT_THAT(alike, AllOf(HasSubstr("The best of Device B takes 1.50 times as long, and their intervals do not meet."),
                           HasSubstr("time of the best (us), with its interval")));
}

TEST(Page, ShowsClocksAndJoules) {
  ResultsBuilder builder(
      {{.name = "nvml_gr_clock", .values = {900, 1200, 1500}, .role = ParameterRole::graphics_clock}});
  builder.time({900}, 3e6, 1e3).time({1200}, 2e6, 1e3).time({1500}, 1.8e6, 1e3);
  ResultSet results = builder;
  const double joules[] = {0.3, 0.25, 0.4};
  for (std::size_t i = 0; i < 3; ++i) results.trials[i].observation.metrics = {{"nvml_energy", joules[i], "J"}};
  const std::string page = page_of(results);
  EXPECT_THAT(section_in(page, "energy"), AllOf(HasSubstr("11.1\u00a0% slower and takes 37.5\u00a0% less energy"),
                                                HasSubstr("<td>1200<td>0.25 J"), HasSubstr("clock (MHz)")));
  EXPECT_THAT(section_in(page, "pareto"), HasSubstr("The front has 2 configurations."));
}

constexpr const char* kHostile[] = {"</script><script>alert(1)</script>",
                                    "<img src=x onerror=alert(1)>",
                                    "\"><svg onload=alert(1)>",
                                    "'; alert(1); //",
                                    "</style><style>*{display:none}",
                                    "<!--",
                                    "-->",
                                    "]]>",
                                    "&lt;b&gt;",
                                    "\x1b[2J\x1b]0;owned\a",
                                    "line\nbreak\ttab\rreturn",
                                    "\xe2\x80\xae"
                                    "reversed",
                                    "\xff\xc0\xaf\xed\xa0\x80",
                                    "javascript:alert(1)",
                                    "\\u003cscript\\u003e",
                                    "</table></section></main>",
                                    "<a href=\"http://example.com\">",
                                    "${7*7} {{7*7}} %n%s {}",
                                    "\"},{\"t\":\"x",
                                    "\xe2\x80\xa8\xe2\x80\xa9"};

// 200 runs have hostile texts wherever a file may hold one. None of them leaves its place in the page.
TEST(Page, RendersTwoHundredHostileTextsHarmless) {
  const std::string good = page_of(decided_run());
  const auto tags = [](const std::string& page) {
    std::vector<std::size_t> counts;
    for (const char* tag :
         {"<script", "</script", "<style", "</style", "<section", "<table", "<svg", "<a ", "<p>", "<img"})
      counts.push_back(count_of(page, tag));
    return counts;
  };
  std::set<std::string> different;
  for (int i = 0; i < 200; ++i) {
    const std::string bad = std::string(kHostile[i % std::size(kHostile)]) + (i >= 20 ? kHostile[i / 20] : "");
    different.insert(bad);
    ResultSet results = decided_run();
    RunInfo& info = results.info;
    for (std::string* text : {&info.kernel_name, &info.device.name, &info.device.vendor, &info.wattune_version,
                              &info.problem_size, &info.kernel_language, &info.space_hash, &info.parameters[0].name})
      *text = bad;
    info.constraints = {bad};
    info.identity = {{bad, bad}};
    for (Trial& trial : results.trials) trial.observation.metrics = {{"energy", 1.0, "J"}, {bad, 2.0, bad}};
    results.trials.back().observation.status = Status::runtime;
    results.trials.back().observation.message = bad;
    results.trials.back().observation.statistics.reset();
    ResultSet same = results;
    same.info = decided_run().info;
    same.info.kernel_language = same.info.space_hash = same.info.wattune_version = same.info.device.vendor = "good";
    same.info.problem_size = "good";
    same.info.constraints = {"good"};
    same.info.identity = {{"good", "good"}};
    for (Trial& trial : same.trials) trial.observation.metrics = {{"energy", 1.0, "J"}, {"good", 2.0, ""}};
    same.trials.back().observation.message = "good";
    const std::string page = page_of(results, bad);
    EXPECT_EQ(tags(page), tags(page_of(same, "good.json"))) << bad;
    EXPECT_EQ(data_in(page).size(), 1u) << bad;
    for (const char* part : {"\x1b", "\a", "\r", "\xe2\x80\xae", "\xff", "onerror=alert(1)>", "<b>&"})
      EXPECT_THAT(page, Not(HasSubstr(part))) << bad;
  }
  EXPECT_EQ(different.size(), 200u);
  EXPECT_EQ(count_of(good, "<script"), 2u);
}

TEST(PageSection, EscapesAllThatIsAddedToIt) {
  PageSection section("x", "<title>");
  section.add_words("<b>");
  section.add_warning("<b>");
  section.add_list({"<b>"});
  section.add_facts({{"<b>", "<b>"}, {"left out", ""}});
  section.add_cards({{.question = "<b>", .figure = "<b>", .words = {"<b>"}, .chips = {{"<b>", "<b>", "<b>"}}}});
  section.add_command("<b>", "<b>");
  section.add_table("<b>", PageTable{.columns = {{"<b>"}}, .rows = {{"<b>"}}});
  section.add_table_behind("<b>", PageTable{.columns = {{"<b>"}}, .rows = {{"<b>"}}});
  section.add_table("", PageTable{.columns = {{"a"}, {"vacant"}}, .rows = {{"1", ""}, {"2", ""}}});
  const std::string page =
      to_html({.title = "<b>", .subtitle = "<b>", .parts = {{.title = "<b>", .sections = {section}}}});
  EXPECT_EQ(count_of(page, "<b>"), 1u);  // that of the chip, which makes its value bold
  EXPECT_GE(count_of(page, "&lt;b&gt;"), 20u);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("left out")), Not(HasSubstr("vacant"))));
}

}  // namespace
}  // namespace wattune::report
