// `wattune corun` on simulated GPUs, whose results are reproducible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "checksums.h"
#include "cli/corun_fixture.h"
#include "folder_test.h"
#include "source_dir.h"
#include "store/interface/locked_file.h"

namespace wattune::cli_test {
namespace {

using test::contents_of;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

double gain_of(const nlohmann::json& pair, const std::string& way) {
  for (const nlohmann::json& row : pair["rows"])
    if (row["way"] == way) return row["gain"];
  return -1.0;
}

// An H100 showed the same order: streams 0 to 2 %, the best split 51 %, the best ratio 96 %. Grids of one wave end less
// well.
TEST_F(Corun, SharesBeatSplitsAndSplitsBeatStreamsOnASimulatedH100) {
  const Finished finished = simulated({"--json", "--svg", "gain.svg"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["device"], "H100");
  EXPECT_EQ(document["simulated"], true);
  EXPECT_EQ(document["repeats"], 1);
  EXPECT_EQ(document["queue"], nullptr);
  const nlohmann::json& pair = document["pairs"][0];
  EXPECT_EQ(pair["kernels"], nlohmann::json({"C", "L"}));
  EXPECT_EQ(pair["outputs"], nullptr);
  EXPECT_EQ(pair["rows"].size(), 4U + 32U + 7U);  // 32 splits in fours, 1:7 to 7:1
  const nlohmann::json& best = pair["rows"][pair["best_share"].get<std::size_t>()];
  EXPECT_GT(best["gain"], 0.4);
  EXPECT_EQ(best["ratio"].size(), 2U);
  EXPECT_GT(best["joules"], 0.0);
  EXPECT_GT(best["energy_gain"], 0.05);
  EXPECT_EQ(pair["rows"][pair["best_baseline"].get<std::size_t>()]["way"], "split");
  EXPECT_LT(gain_of(pair, "streams"), best["gain"].get<double>() - 0.3);
  EXPECT_THAT(folder_.read("gain.svg"), HasSubstr("C with L on H100, simulated"));
  EXPECT_THAT(folder_.read("gain.svg"), HasSubstr("two streams"));
  const nlohmann::json& verdict = pair["verdict"];
  EXPECT_EQ(verdict["best"], pair["best_share"]);
  EXPECT_EQ(verdict["gains"], true);
  EXPECT_NEAR(verdict["gain"], best["gain"], 1e-9);
  EXPECT_NEAR(verdict["control"]["off"], 0.0, 1e-9);
  EXPECT_EQ(verdict["withheld"], nullptr);
}

TEST_F(Corun, NamesJoinedByPlusAreLaunchesOfOneKernel) {
  EXPECT_THAT(small({}, "PC+TEA,BS").out, StartsWith("PC+TEA with BS on a simulated C2050\n"));
  EXPECT_THAT(refused({"--device", "simulated:C2050", "--kernels", "PC+TAE,BS"}),
              HasSubstr("no published kernel has this name: `TAE`"));
}

// Three pairs give three points for the errors; a pair whose name is missing was not drawn.
TEST_F(Corun, ThePictureOfSeveralPairsHasForecastsAndGainsOfPaired) {
  ASSERT_EQ(small({"--svg", "pairs.svg"}).status, 0);
  const std::string svg = folder_.read("pairs.svg");
  EXPECT_THAT(svg, HasSubstr("3 pairs on C2050: forecasts of pilots and gains of paired, simulated"));
  EXPECT_THAT(svg, HasSubstr(">paired: 3 points, mean error "));
  for (const char* const pair : {"PC with TEA", "PC with BS", "TEA with BS"})
    EXPECT_THAT(svg, HasSubstr("<title>" + std::string(pair) + ": "));
}

// TEA only computes. A second one finds little unused by the first: the ends of grids, which many waves make small.
TEST_F(Corun, SaysInASentenceWhatGainsAndWhereNothingDoes) {
  const Finished alike = corun({"--device", "simulated:C2050", "--waves", "32", "--kernels", "TEA,TEA"});
  EXPECT_THAT(alike.out, StartsWith("TEA with TEA#2 on a simulated C2050\nalone: TEA "));
  EXPECT_THAT(alike.out, HasSubstr("\nNothing gains: the best way together, "));
  const Finished finished = corun({"--device", "simulated:C2050", "--kernels", "PC,TEA"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("\n* "));
  EXPECT_THAT(finished.out, HasSubstr("\nTogether they take "));
  EXPECT_THAT(finished.out, HasSubstr(" SMs (green contexts); the best shares, "));
}

// PC is as fast on two SMs of 14 as on all, so that it fills what they share. TEA issues instructions all the time, BS
// for 87 % of it. PC's counts do not tell what is full, so the bounds of its pairs are unknown.
TEST_F(Corun, ListsComplementaryPairsBeforeTheyAreMeasured) {
  const Finished text = small({"--waves", "4"});
  EXPECT_THAT(text.out, StartsWith("How much faster than one after the other each pair can be"));
  EXPECT_THAT(text.out, HasSubstr("\nPC with TEA on a simulated C2050, complementary\n"));
  EXPECT_THAT(text.out,
              HasSubstr("\nOf 3 pairs 2 are complementary: the best shares over the best baseline, geometric mean, "));
  const nlohmann::json document = small({"--waves", "4", "--json"}).json();
  ASSERT_EQ(document["prospects"].size(), 3U);
  EXPECT_EQ(document["prospects"][0]["kernels"], nlohmann::json({"PC", "TEA"}));
  std::size_t complementary = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const nlohmann::json& prospect = document["prospects"][i];
    EXPECT_EQ(prospect["packing_bound"].is_null(), prospect["kernels"][0] == "PC");
    EXPECT_EQ(document["pairs"][i]["complementary"], prospect["complementary"]);
    complementary += prospect["complementary"].get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(document["prospects"][2]["complementary"], false);  // TEA with BS
  EXPECT_EQ(document["complementary"]["pairs"], complementary);
  EXPECT_TRUE(document["complementary"]["gain_over_best_baseline"].is_number());
}

// The gain over the best baseline follows from the makespans of `paired` and of the baseline.
TEST_F(Corun, SaysWhatBecomesOfTheDefaultPolicysPlan) {
  const Finished text = small({"--waves", "4"});
  EXPECT_THAT(text.out, HasSubstr("\npaired takes "));
  EXPECT_THAT(text.out, HasSubstr("\nBy paired, over the best baseline: "));
  const nlohmann::json document = small({"--waves", "4", "--json"}).json();
  double least = 1e9;
  double product = 1.0;
  for (const nlohmann::json& pair : document["pairs"]) {
    const nlohmann::json& baseline = pair["rows"][pair["best_baseline"].get<std::size_t>()];
    const double speed = baseline["makespan_ms"].get<double>() / pair["planned"]["makespan_ms"].get<double>();
    least = std::min(least, speed - 1.0);
    if (pair["complementary"]) product *= speed;
  }
  EXPECT_NEAR(document["planned"]["least"].get<double>(), least, 1e-12);
  EXPECT_NEAR(document["planned"]["complementary"].get<double>(), std::sqrt(product) - 1.0, 1e-12);  // over two pairs
}

// A swept pair is not swept again: a number that was changed with its checksum is reported as changed.
TEST_F(Corun, AnInterruptedSweepGoesOnWhereItWas) {
  const std::vector<std::string> arguments = {"--output", "sweep.jsonl", "--json"};
  const nlohmann::json whole = small(arguments).json();
  std::string journal = folder_.read("sweep.jsonl");
  ASSERT_EQ(std::ranges::count(journal, '\n'), 3);
  const std::size_t second = journal.find('\n') + 1;
  const std::string kept = "\"repetitions\":[";
  const std::string half = journal.substr(second, 40);
  journal = journal.substr(0, second);
  journal.replace(journal.find(kept) + kept.size(), 1, "7");
  journal = with_checksums(journal);
  folder_.write("sweep.jsonl", journal + half);
  const Finished finished = small({"--output", "sweep.jsonl", "--json", "--resume"});
  EXPECT_THAT(finished.err, HasSubstr("sweep.jsonl:2: this line of the co-run journal is left out: it was cut off"));
  const nlohmann::json resumed = finished.json();
  EXPECT_EQ(resumed["pairs"][0]["repetitions"][0], 7);
  EXPECT_EQ(resumed["pairs"][0]["rows"], whole["pairs"][0]["rows"]);
  EXPECT_EQ(resumed["pairs"][1], whole["pairs"][1]);
  EXPECT_EQ(resumed["pairs"][2], whole["pairs"][2]);
  EXPECT_EQ(std::ranges::count(folder_.read("sweep.jsonl"), '\n'), 3);
  EXPECT_THAT(folder_.read("sweep.jsonl"), StartsWith(journal.substr(0, second)));
}

TEST_F(Corun, PairsOfOtherSizesAreSweptAnew) {
  ASSERT_EQ(small({"--output", "sweep.jsonl"}, "PC,TEA").status, 0);
  const Finished finished = small({"--waves", "2", "--output", "sweep.jsonl", "--resume"}, "PC,TEA");
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(std::ranges::count(folder_.read("sweep.jsonl"), '\n'), 2);
}

TEST_F(Corun, KeepsPairsByTheNamesOfWhatWasRun) {
  ASSERT_EQ(small({"--output", "sweep.jsonl"}, "PC,TEA").status, 0);
  const nlohmann::json line = nlohmann::json::parse(folder_.read("sweep.jsonl"));
  EXPECT_EQ(line["wattune_corun"], 3);
  EXPECT_EQ(line["kernels"], nlohmann::json({"PC", "TEA"}));
  EXPECT_EQ(line["capability"], nlohmann::json({2, 0}));
  EXPECT_EQ(line["rows"].front()["way"], "in_turn");
  EXPECT_EQ(line["rows"].back()["way"], "shares");
}

// Lines are changed as a stranger may change them: first without the checksum, then with it.
TEST_F(Corun, LinesThatCannotBeTrueAreNamedAndSweptAgain) {
  ASSERT_EQ(small({"--output", "sweep.jsonl"}, "PC,TEA").status, 0);
  const std::string whole = folder_.read("sweep.jsonl");
  const nlohmann::json swept = small({"--output", "sweep.jsonl", "--resume", "--json"}, "PC,TEA").json();
  const auto resumed = [&](const std::string& text) {
    folder_.write("sweep.jsonl", text);
    const Finished finished = small({"--output", "sweep.jsonl", "--resume", "--json"}, "PC,TEA");
    EXPECT_EQ(finished.json()["pairs"], swept["pairs"]);
    EXPECT_THAT(folder_.read("sweep.jsonl"), StartsWith(text)) << "nothing is lost";
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  };
  const auto changed = [&](const std::string& member, const std::string& value) {
    std::string text = whole;
    text.replace(text.find(member), member.size(), value);
    EXPECT_THAT(resumed(text), HasSubstr("sweep.jsonl:1: this line of the co-run journal is left out: its checksum"));
    return resumed(with_checksums(text));
  };
  EXPECT_THAT(changed("\"in_turn\"", "\"in_time\""), HasSubstr("no way to run a pair: `in_time`"));
  EXPECT_THAT(changed("\"gain\":", "\"gain\":7.7,\"was\":"), HasSubstr("`gain` is 7.7, but the times alone"));
  EXPECT_THAT(changed("\"makespan_ns\":", "\"makespan_ns\":-1,\"was\":"), HasSubstr("`makespan_ns` must be a number"));
  EXPECT_THAT(changed("\"sms\":14", "\"sms\":0"), HasSubstr("`sms` must be a whole number from 1 to 4096, not 0"));
  EXPECT_THAT(changed("\"ratio\":[", "\"ratio\":[999,-6],\"was\":["), HasSubstr("`ratio` must be a whole number"));
  EXPECT_THAT(changed("\"alone_ns\":[", "\"alone_ns\":[-1.83e7,"), HasSubstr("`alone_ns` must have 2 elements"));
  EXPECT_THAT(changed("\"rows\":[", "\"rows\":[null,"), HasSubstr("`rows` must be a whole number"));
  EXPECT_THAT(changed("\"rows\":[{", "\"rows\":[null,{"), HasSubstr("`way` is missing"));
  EXPECT_THAT(changed("\"orders\":[[", "\"orders\":[[99,"), HasSubstr("`orders` must be a whole number"));
  EXPECT_THAT(changed("\"orders\":[[", "\"orders\":[[0,0,0],["), HasSubstr("`orders` must name each entrant once"));
  EXPECT_THAT(changed("\"error\":null", "\"error\":7"), HasSubstr("`error` must be text"));
}

// The journal is of the version before sealed files. It is read, and kept beside the sealed file that takes its place.
TEST_F(Corun, AJournalOfAnOlderWattuneGoesOnInASealedFile) {
  const std::string old = contents_of(WATTUNE_SOURCE_DIR + std::string("/tests/older/corun.jsonl"));
  folder_.write("sweep.jsonl", old);
  const Finished again = small({"--output", "sweep.jsonl", "--resume"}, "PC,TEA");
  EXPECT_THAT(again.err, HasSubstr("sweep.jsonl is unsealed"));
  EXPECT_EQ(folder_.read("sweep.jsonl"), old) << "there was nothing to write";
  EXPECT_EQ(small({"--output", "sweep.jsonl", "--resume"}, "PC,TEA,BS").status, 0);
  EXPECT_EQ(folder_.read("sweep.jsonl.unsealed"), old);
  const Finished sealed = small({"--output", "sweep.jsonl", "--resume", "--json"}, "PC,TEA,BS");
  EXPECT_EQ(sealed.err, "");
  const nlohmann::json anew = small({"--json"}).json();
  EXPECT_EQ(sealed.json()["pairs"][0]["planned"]["gain"], nlohmann::json::parse(old)["planned"]["gain"]);
  EXPECT_EQ(sealed.json()["pairs"][1], anew["pairs"][1]);
  EXPECT_EQ(sealed.json()["pairs"][2], anew["pairs"][2]);
}

TEST_F(Corun, OverwritingSetsAside) {
  ASSERT_EQ(small({"--output", "sweep.jsonl"}, "PC,TEA").status, 0);
  const std::string before = folder_.read("sweep.jsonl");
  EXPECT_NE(small({"--output", "sweep.jsonl", "--overwrite"}, "PC,NONE").status, 0);
  EXPECT_EQ(folder_.read("sweep.jsonl"), before) << "there was nothing to make room for";
  ASSERT_EQ(small({"--output", "sweep.jsonl", "--overwrite"}, "PC,BS").status, 0);
  EXPECT_EQ(folder_.read("sweep.jsonl.~1~"), before);
  EXPECT_EQ(std::ranges::count(folder_.read("sweep.jsonl"), '\n'), 1);
}

TEST_F(Corun, WhatIsNoFileIsWrittenButNotSetAside) {
  ASSERT_EQ(mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(small({"--output", "pipe", "--overwrite"}, "PC,TEA").status, 0);
  EXPECT_TRUE(std::filesystem::is_fifo(folder_.path() / "pipe"));
  EXPECT_FALSE(folder_.has("pipe.~1~"));
}

TEST_F(Corun, ASecondSweepIntoTheSameFileIsRefused) {
  const auto held = store::LockedFile::open(folder_.path() / "sweep.jsonl");
  ASSERT_TRUE(held);
  const Finished second = small({"--output", "sweep.jsonl"}, "PC,TEA");
  EXPECT_NE(second.status, 0);
  EXPECT_EQ(second.out, "");
  EXPECT_THAT(second.err, HasSubstr("sweep.jsonl"));
  EXPECT_EQ(std::ranges::count(second.err, '\n'), 1) << second.err;
}

TEST_F(Corun, RefusesFilesThatItCannotGoOnWith) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--device", "simulated:C2050", "--waves", "1", "--kernels", "PC,TEA"});
    return refused(more);
  };
  folder_.write("sweep.jsonl", "{\"format\":\"another\"}\n");
  EXPECT_THAT(with({"--output", "sweep.jsonl"}), HasSubstr("results exist: `sweep.jsonl`"));
  EXPECT_THAT(with({"--output", "sweep.jsonl", "--resume"}),
              HasSubstr("sweep.jsonl:1: this is no co-run journal of Wattune: its first line is `{"));
  EXPECT_THAT(with({"--output", "sweep.jsonl", "--resume", "--overwrite"}), HasSubstr("exclude each other"));
  EXPECT_THAT(with({"--resume"}), HasSubstr("name it: --output FILE"));
  EXPECT_THAT(with({"--output", "."}), HasSubstr("results cannot be written into a folder: `.`"));
  // Fails before any kernel is looked at.
  EXPECT_THAT(refused({"--device", "simulated:C2050", "--kernels", "PC,NONE", "--output", "sweep.jsonl"}),
              HasSubstr("results exist"));
  EXPECT_THAT(with({"--output", "sweep.jsonl", "--works", "3"}), HasSubstr("--works asks for a queue: `sweep.jsonl`"));
  EXPECT_THAT(with({"--output", "sweep.jsonl", "--power-cap", "90"}), HasSubstr("--power-cap asks for a queue"));
  EXPECT_EQ(folder_.read("sweep.jsonl"), "{\"format\":\"another\"}\n");
}

TEST_F(Corun, ComparesPoliciesOnABacklog) {
  const Finished finished = simulated({"--works", "6", "--policies", "paired,fifo", "--explain", "--trace",
                                       "trace.json", "--trace-of", "fifo", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["works"], 6);
  EXPECT_EQ(queue["arrivals"], "all at once");
  EXPECT_EQ(queue["kernels"][0]["name"], "C");
  EXPECT_EQ(queue["kernels"][0]["rate_at_residency"].size(), 8U);
  ASSERT_EQ(queue["policies"].size(), 3U);  // the third is the one that gains refer to
  EXPECT_EQ(queue["policies"][0]["policy"], "streams");
  EXPECT_EQ(queue["policies"][0]["gain_over_streams"], 0.0);
  EXPECT_EQ(queue["policies"][1]["policy"], "paired");
  EXPECT_GT(queue["policies"][1]["gain_over_streams"], 0.05);
  EXPECT_EQ(queue["policies"][1]["pairs"][0]["kernels"], nlohmann::json({"C", "L"}));
  EXPECT_EQ(queue["policies"][2]["pairs"], nlohmann::json::array());
  const nlohmann::json trace = nlohmann::json::parse(folder_.read("trace.json"));
  EXPECT_EQ(std::ranges::count_if(trace["traceEvents"], [](const nlohmann::json& event) { return event["ph"] == "X"; }),
            6);
}

// Virtual time is exact: one round tells the fastest policy, without a control.
TEST_F(Corun, NamesTheFastestPolicyAndTracesIt) {
  const std::vector<std::string> queue = {"--works", "6", "--policies", "fifo,paired", "--trace", "best.json"};
  const Finished finished = simulated(queue);
  EXPECT_THAT(finished.out, testing::ContainsRegex("\nFastest: paired, \\+[0-9.]+ % over streams\\.\n"));
  std::vector<std::string> named = queue;
  named.back() = "paired.json";
  named.insert(named.end(), {"--trace-of", "paired", "--json"});
  const nlohmann::json verdict = simulated(named).json()["queue"]["verdict"];
  EXPECT_EQ(folder_.read("best.json"), folder_.read("paired.json"));
  EXPECT_EQ(verdict["fastest"], "paired");
  EXPECT_EQ(verdict["over"], "streams");
  EXPECT_EQ(verdict["interval"], nlohmann::json({verdict["gain"], verdict["gain"]}));
  EXPECT_EQ(verdict["control"], nullptr);
  named[named.size() - 2] = "split";
  named.push_back("--overwrite");
  EXPECT_THAT(simulated(named).err,
              HasSubstr("none of the policies that run has this name: `split` (one of: streams; fifo; "));
}

TEST_F(Corun, EqualSeedsGiveEqualRuns) {
  const std::vector<std::string> arguments = {"--works", "5", "--load", "0.8", "--policies", "streams", "--seed", "7"};
  const Finished first = simulated(arguments);
  EXPECT_EQ(first.out, simulated(arguments).out);
  EXPECT_THAT(first.out, StartsWith("5 works of 2 kernels on a simulated H100, at random at a load of 0.8\n"));
}

TEST_F(Corun, RunsRecordedArrivals) {
  folder_.write("arrivals.csv", "moment_ms,kernel,priority\n0,C,0\n0.5, L ,1\n\n100,C\n");
  const Finished finished = simulated({"--arrivals", "arrivals.csv", "--policies", "priority", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["works"], 3);
  EXPECT_EQ(queue["arrivals"], "as recorded in arrivals.csv");
  EXPECT_GT(queue["policies"][1]["makespan_ms"], 100.0);
}

// chat has 24 works in 99 ms, and the others always have some.
TEST_F(Corun, RunsTenantsUnderThreePolicies) {
  const std::vector<std::string> tenants = {
      "--tenant", "chat=TEA,priority=1,every=4ms", "--tenant", "train=PC/BS", "--tenant", "batch=BS", "--for", "99ms"};
  const Finished text = small(tenants);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("3 tenants on a simulated C2050, for 99 ms\n\ntenant  priority  kernels  "));
  EXPECT_THAT(text.out, HasSubstr("\ntrain          0  PC, BS   a backlog\n"));
  EXPECT_THAT(text.out, HasSubstr("\n-: 95 % needs 20 works, 99 % needs 100.\n"));
  EXPECT_THAT(text.out, HasSubstr("\npaired over split: tenants that are not urgent do "));
  std::vector<std::string> json = tenants;
  json.push_back("--json");
  const nlohmann::json document = small(json).json();
  EXPECT_EQ(document["queue"], nullptr);
  const nlohmann::json& report = document["tenants"];
  EXPECT_EQ(report["time_ms"], 99.0);
  EXPECT_EQ(report["tenants"][0]["urgent"], true);
  EXPECT_EQ(report["tenants"][1]["kernels"], nlohmann::json({"PC", "BS"}));
  EXPECT_EQ(report["tenants"][1]["gap_ms"], nullptr);
  ASSERT_EQ(report["policies"].size(), 3U);
  const nlohmann::json& paired = report["policies"][2];
  EXPECT_EQ(paired["policy"], "paired");
  EXPECT_EQ(paired["tenants"][0]["works"], 24);
  EXPECT_GT(paired["tenants"][0]["response_95_ms"], 0.0);
  EXPECT_EQ(paired["tenants"][0]["response_99_ms"], nullptr);
  EXPECT_GT(paired["tenants"][1]["of_alone"], 0.1);
  EXPECT_GT(paired["others_over_split"]["ratio"], 0.5);
}

TEST_F(Corun, RefusesTenantsThatCannotBe) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--device", "simulated:C2050", "--waves", "1", "--kernels", "PC,TEA", "--tenant"});
    return refused(more);
  };
  EXPECT_THAT(with({"chat"}), HasSubstr("--tenant: NAME=KERNEL,...: `chat`"));
  EXPECT_THAT(with({"chat=TEE"}), HasSubstr("--tenant: no kernel of this name runs here: `TEE` (did you mean `TEA`?)"));
  EXPECT_THAT(with({"chat=TEA,priority=high"}), HasSubstr("a priority is a whole number: `high`"));
  EXPECT_THAT(with({"chat=TEA,soon=1ms"}),
              HasSubstr("a tenant has priority=N, every=TIME or poisson=TIME: `soon=1ms`"));
  EXPECT_THAT(with({"chat=TEA,every=1ms,poisson=1ms"}), HasSubstr("its works arrive in one way: `poisson=1ms`"));
  EXPECT_THAT(with({"chat=TEA,every=0s"}), HasSubstr("above 0: `0s`"));
  EXPECT_THAT(with({"chat=TEA", "--tenant", "chat=PC"}), HasSubstr("two tenants have this name: `chat=PC`"));
  EXPECT_THAT(with({"chat=TEA", "--works", "9"}), HasSubstr("--tenant decides which works arrive"));
  EXPECT_THAT(refused({"--device", "simulated:C2050", "--kernels", "PC,TEA", "--for", "1s"}),
              HasSubstr("--for needs tenants"));
}

TEST_F(Corun, RefusesDamagedArrivalsByTheirLine) {
  const auto complaint = [&](const std::string& text) {
    folder_.write("arrivals.csv", text);
    return refused(
        {"--device", "simulated:C2050", "--waves", "1", "--kernels", "PC,TEA", "--arrivals", "arrivals.csv"});
  };
  EXPECT_EQ(complaint("moment_ms,kernel,priority\n0,PC,0\nsoon,PC,0\n"),
            "wattune: error: arrivals.csv:3: expected moment_ms,kernel,priority: `soon,PC,0`\n");
  EXPECT_EQ(complaint("0,PC\n1,TEE\n"),
            "wattune: error: arrivals.csv:2: no kernel of this name runs here: `TEE` (did you mean `TEA`?)\n");
  EXPECT_THAT(complaint("3,PC\n1,PC\n"), HasSubstr("arrivals.csv:2: the work arrives before that of the line above"));
  EXPECT_THAT(complaint("-1,PC\n"), HasSubstr("arrivals.csv:1: expected"));
  EXPECT_THAT(complaint("1,PC,0,0\n"), HasSubstr("arrivals.csv:1: expected"));
  EXPECT_THAT(complaint("nan,PC\n"), HasSubstr("arrivals.csv:1: expected"));
  EXPECT_THAT(complaint("moment_ms,kernel\n"), HasSubstr("arrivals.csv: the table has no arrivals"));
  EXPECT_THAT(refused({"--device", "simulated:C2050", "--waves", "1", "--kernels", "PC,TEA", "--arrivals", "none.csv"}),
              HasSubstr("none.csv"));
}

TEST_F(Corun, RefusesWhatItCannotRun) {
  const std::vector<std::string> h100 = {"--device", "simulated:H100", "--kernels"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = h100;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return refused(arguments);
  };
  EXPECT_THAT(with({"C,X"}), HasSubstr("no published kernel has this name: `X` (one of: C, L, M, PC, SAD"));
  EXPECT_EQ(with({"C,L", "--policies", "pared"}), "wattune: error: no such policy: `pared` (did you mean `paired`?)\n");
  EXPECT_THAT(with({"C"}), HasSubstr("two kernels are needed to run together: `C`"));
  EXPECT_THAT(refused({"one.toml"}), HasSubstr("two kernels are needed to run together: `one.toml`"));
  EXPECT_THAT(refused({}), HasSubstr("two kernels are needed to run together"));
  EXPECT_THAT(refused({"--device", "simulated:H10", "--kernels", "C,L"}), HasSubstr("`H10` (did you mean `H100`?)"));
  EXPECT_THAT(refused({"--kernels", "C,L"}), HasSubstr("--kernels names kernels of simulated GPUs: `C`"));
  EXPECT_THAT(refused({"--device", "simulated:H100", "a.toml", "b.toml"}),
              HasSubstr("a simulated GPU runs published kernels, no specs: `a.toml`"));
  EXPECT_THAT(with({"C,L", "--load", "0"}), HasSubstr("--load: `0`"));
  EXPECT_THAT(with({"C,L", "--works", "0"}), HasSubstr("--works: `0`"));
  EXPECT_THAT(with({"C,L", "--repeats", "0"}), HasSubstr("--repeats: `0`"));
  EXPECT_THAT(with({"C,L", "--waves", "0"}), HasSubstr("--waves: `0`"));
  EXPECT_THAT(with({"C,L", "--arrivals", "a.csv", "--load", "1"}), HasSubstr("leave out --load and --works"));
  EXPECT_THAT(with({"C,L", "--trace", "t.json"}), HasSubstr("--explain and --trace need a queue"));
  EXPECT_THAT(with({"C,L", "--works", "2", "--trace-of", "fifo"}), HasSubstr("--trace-of says whose run"));
  EXPECT_THAT(with({"C,L", "-p", "C.n=3"}), HasSubstr("--problem-size needs specs: `C.n=3`"));
  folder_.write("t.svg", "mine");
  EXPECT_THAT(with({"C,L", "--svg", "t.svg"}), HasSubstr("the file exists: `t.svg` (--overwrite replaces it)"));
  EXPECT_EQ(folder_.read("t.svg"), "mine");
}

// True if the thread that waits for signals exists as well.
bool has_two_threads(pid_t process) {
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  std::error_code ignored;
  return std::distance(std::filesystem::directory_iterator(tasks, ignored), {}) > 1;
}

TEST_F(Corun, ASignalEndsItOrderly) {
  RunningProgram program(folder_, {"corun", "--device", "simulated:H100", "--kernels", "C,L", "--waves", "16"});
  ASSERT_TRUE(program.wait_until([&] { return has_two_threads(program.pid()); }));
  kill(program.pid(), SIGTERM);
  const Finished finished = program.wait();
  EXPECT_EQ(finished.status, 130);
  EXPECT_THAT(finished.err, AnyOf(HasSubstr("stopping after the evaluations in flight"), HasSubstr("interrupted")));
  EXPECT_EQ(finished.out, "");
}

}  // namespace
}  // namespace wattune::cli_test
