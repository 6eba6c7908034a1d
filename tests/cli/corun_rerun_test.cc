// Verdicts of `wattune corun` on pairs whose best ways ran again, and on queues, from invented times.
#include "cli/corun/corun_rerun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/corun/corun_journal.h"
#include "cli/corun/corun_plans.h"
#include "cli/corun/corun_prospects.h"
#include "cli/corun/corun_queue.h"
#include "cli/run_program.h"
#include "schedule/queue/policy_runner.h"

namespace wattune::cli {
namespace {

using schedule::Way;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<Nanoseconds> rounds_of(double ms, const std::vector<double>& factors) {
  std::vector<Nanoseconds> times;
  for (const double factor : factors) times.push_back(nanoseconds_from_ms(ms * factor));
  return times;
}

// Returns a pair that takes 10 ms alone. One after the other, streams and shares take the given times, in rounds that
// differ by at most 1 %.
schedule::SweptPair swept(double in_turn, double streams, double shares, double planned) {
  schedule::SweptPair pair{.names = {"a", "b"}, .limits = {}, .sweep = {}, .planned = {}, .outputs = {}};
  pair.sweep.alone = {nanoseconds_from_ms(4), nanoseconds_from_ms(6)};
  pair.sweep.rows = {{.arrangement = {.way = Way::in_turn}, .gain = 10.0 / in_turn - 1.0},
                     {.arrangement = {.way = Way::streams}, .gain = 10.0 / streams - 1.0},
                     {.arrangement = {.way = Way::shares, .ratio = {1, 3}}, .gain = 10.0 / shares - 1.0}};
  pair.planned.makespan = nanoseconds_from_ms(planned);
  pair.rerun.rows = {0, 1, 2};
  pair.rerun.times.times = {
      rounds_of(10.0, {1.0, 1.01, 0.99, 1.005, 0.995}), rounds_of(in_turn, {1.005, 1.0, 0.995, 1.01, 0.99}),
      rounds_of(streams, {0.99, 1.0, 1.01, 1.0, 1.0}), rounds_of(shares, {1.0, 0.995, 1.01, 0.99, 1.005}),
      rounds_of(planned, {1.01, 1.0, 1.0, 0.99, 1.0})};
  pair.rerun.times.orders = schedule::balanced_orders(5, 5, 1);
  return pair;
}

Prospect complementary_prospect() { return {.names = {"a", "b"}, .complementary = true}; }

// 10 ms over 8 are 25 %, a quarter of which a control may be off; it is off by less than 2 %.
TEST(CorunVerdict, AGainHasItsInterval) {
  const schedule::SweptPair pair = swept(10.0, 10.0, 8.0, 8.1);
  const schedule::PairVerdict verdict = verdict_of(pair);
  EXPECT_EQ(verdict.best, &pair.sweep.rows[2]);
  EXPECT_TRUE(verdict.gains());
  EXPECT_NEAR(verdict.gain->gain, 0.25, 0.005);
  EXPECT_THAT(verdict_text(pair), testing::MatchesRegex("Together they take 8 ms instead of 10 ms: \\+2[45]\\.. % "
                                                        "\\(\\+2[0-4]\\.. to \\+[23][0-9]\\.. %\\), with .*\n"));
}

// The plan of the first pair takes 8.1 ms instead of 10, that of the second 8 instead of 8.1. Shares take 8 in both.
TEST(CorunVerdict, GainsOfSeveralPairsHaveTheirIntervals) {
  const std::vector<schedule::SweptPair> pairs = {swept(10.0, 10.0, 8.0, 8.1), swept(10.0, 8.1, 8.0, 8.0)};
  const std::vector<Prospect> prospects = {complementary_prospect(), complementary_prospect()};
  const Json one = planned_gain_json(planned_gain(prospects, {pairs.front()}));
  EXPECT_NEAR(one["least"].get<double>(), 10.0 / 8.1 - 1.0, 0.01);
  EXPECT_LT(one["interval_of_least"][0], one["least"]);
  EXPECT_GT(one["interval_of_least"][1], one["least"]);
  const PlannedGain planned = planned_gain(prospects, pairs);
  EXPECT_NEAR(planned.least->gain, 0.0125, 0.005);
  EXPECT_LT(planned.least->low, 0.0);
  EXPECT_THAT(planned_gain_text(planned), HasSubstr("(a with b), no difference beyond noise.\n"));
  const Json complementary = complementary_json(complementary_gain(prospects, pairs));
  const double mean = std::sqrt(10.0 / 8.0 * 8.1 / 8.0) - 1.0;
  EXPECT_NEAR(complementary["gain_over_best_baseline"].get<double>(), mean, 0.005);
  EXPECT_GT(complementary["interval"][0], 0.0);
  EXPECT_LT(complementary["interval"][0], complementary["gain_over_best_baseline"]);
}

// The control is off by 4 %, which a gain of 25 % bears and one of 1 % does not.
TEST(CorunVerdict, AControlThatIsOffWithholdsTheLeastGain) {
  const schedule::SweptPair pair = swept(10.4, 8.1, 8.0, 8.0);
  EXPECT_TRUE(verdict_of(pair).gains());
  const Json planned = planned_gain_json(planned_gain({complementary_prospect()}, {pair}));
  EXPECT_EQ(planned["least"], nullptr);
  EXPECT_EQ(planned["interval_of_least"], nullptr);
  EXPECT_THAT(planned["withheld"].get<std::string>(), HasSubstr("bears 2.0 % at most"));
  EXPECT_EQ(complementary_json(complementary_gain({complementary_prospect()}, {pair}))["interval"], nullptr);
}

// A drift from round to round is in both times, and cancels. Noise is in one of them.
TEST(CorunVerdict, ARowHasTheIntervalOfItsRounds) {
  const std::vector<double> drift = {1.0, 1.1, 1.2, 1.1, 1.0};
  schedule::PairSweep sweep;
  sweep.alone_by_round = {rounds_of(4.0, drift), rounds_of(6.0, drift)};
  schedule::SweepRow row;
  row.makespans = rounds_of(8.0, drift);
  const schedule::Gain drifted = gain_in_sweep(sweep, row).value();
  EXPECT_NEAR(drifted.low, 0.25, 1e-9);
  EXPECT_NEAR(drifted.high, 0.25, 1e-9);
  row.makespans = rounds_of(8.0, {1.0, 1.0, 1.0, 1.0, 1.0});
  const schedule::Gain noisy = gain_in_sweep(sweep, row).value();
  EXPECT_LT(noisy.low, 0.3);
  EXPECT_GT(noisy.high, 0.4);
  row.makespans.resize(1);
  EXPECT_EQ(gain_in_sweep(sweep, row), std::nullopt);
}

// Shares of 1.000 to 1.002 ms over streams are noise, and the best way of the sweep need not be the best again.
TEST(CorunVerdict, WhatNoiseHidesIsNotTold) {
  EXPECT_THAT(verdict_text(swept(10.0, 9.98, 9.99, 10.0)), HasSubstr("no difference beyond noise"));
  EXPECT_THAT(verdict_text(swept(10.0, 9.98, 9.99, 10.0)), testing::StartsWith("Nothing gains: "));
  EXPECT_THAT(verdict_text(swept(10.0, 8.01, 8.0, 8.0)), HasSubstr("streams, +"));
  EXPECT_THAT(verdict_text(swept(10.0, 8.01, 8.0, 8.0)), HasSubstr("no difference beyond noise.\n"));
}

// 10 % is more than a quarter of 25 %, and less than a quarter of 100 %.
TEST(CorunVerdict, AControlThatIsOffWithholdsTheHeadline) {
  const schedule::SweptPair off = swept(11.0, 10.0, 8.0, 8.0);
  EXPECT_FALSE(verdict_of(off).gains());
  EXPECT_THAT(verdict_text(off), testing::StartsWith("No verdict: one after the other should take what both take "
                                                     "alone; it is off by +10."));
  EXPECT_THAT(planned_text(off), Not(HasSubstr("%")));
  EXPECT_EQ(verdict_json(off)["gain"], nullptr);
  EXPECT_THAT(verdict_json(off)["withheld"].get<std::string>(), HasSubstr("off by +10."));
  const PlannedGain totals = planned_gain({complementary_prospect()}, {off});
  EXPECT_EQ(totals.least, std::nullopt);
  EXPECT_THAT(totals.withheld, HasSubstr("a with b: one after the other"));
  EXPECT_THAT(planned_gain_text(totals), testing::StartsWith("No verdict on paired"));
  EXPECT_THAT(complementary_gain({complementary_prospect()}, {off}).withheld, HasSubstr("a with b"));
  EXPECT_TRUE(verdict_of(swept(11.0, 10.0, 5.0, 5.0)).gains());
}

TEST(CorunVerdict, OneRoundTellsNothing) {
  schedule::SweptPair pair = swept(10.0, 10.0, 8.0, 8.0);
  for (auto& times : pair.rerun.times.times) times.resize(1);
  pair.rerun.times.orders.resize(1);
  EXPECT_THAT(verdict_text(pair), HasSubstr("one round tells nothing of noise (--repeats 5)"));
  pair.rerun.times.is_exact = true;
  EXPECT_TRUE(verdict_of(pair).gains());
}

// The program wrote such lines before it had reruns.
TEST(CorunVerdict, AnOlderJournalOpensWithoutAVerdict) {
  const cli_test::TempFolder folder;
  folder.write(
      "old.jsonl",
      R"({"format":"wattune corun 2","identity":"abc","kernels":["a","b"],"repetitions":[1,2],)"
      R"("alone_ns":[4e6,6e6],"energy_alone_j":[0.0,0.0],"sms":14,"split_grain":14,"capability":[2,0],)"
      R"("planned":{"ratio":[0,0],"sms_of_first":0,"whole":false,"rates":[0.0,0.0],"makespan_ns":9e6,)"
      R"("gain":0.1111111111111111,"error":null},"rows":[{"way":"streams","urgent":0,"sms_of_first":0,"ratio":[0,0],)"
      R"("times_ns":[8e6,8e6],"makespan_ns":8e6,"gain":0.25,"joules":0.0,"error":null}],)"
      R"("outputs":{"compared":3,"differences":[]}})"
      "\n");
  const auto journal = SweepJournal::open(folder.path() / "old.jsonl", {.resume = true});
  ASSERT_TRUE(journal) << journal.error().to_string();
  const schedule::SweptPair* pair = journal->find("abc");
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(pair->sweep.rows.front().gain, 0.25);
  EXPECT_THAT(verdict_text(*pair), testing::StartsWith("No verdict: the pair was swept by an older version"));
  EXPECT_EQ(rerun_json(*pair), nullptr);
}

TEST(CorunVerdict, AJournalKeepsRoundsAndOrders) {
  const cli_test::TempFolder folder;
  schedule::SweptPair pair = swept(10.0, 9.0, 8.0, 8.1);
  const double makespans[] = {10.0, 9.0, 8.0};
  for (std::size_t i = 0; i < 3; ++i) pair.sweep.rows[i].makespan = nanoseconds_from_ms(makespans[i]);
  pair.sweep.rows[1].makespans = rounds_of(9.0, {1.0, 1.01});
  pair.planned.gain = told_gain_of_planned(pair);
  pair.sweep.alone_by_round = {rounds_of(4.0, {1.0, 1.02}), rounds_of(6.0, {1.0, 1.03})};
  auto journal = SweepJournal::open(folder.path() / "new.jsonl", {}).value();
  ASSERT_TRUE(journal.add("abc", pair));
  const auto again = [&]() -> Result<SweepJournal> {
    { const SweepJournal closed = std::move(journal); }
    return SweepJournal::open(folder.path() / "new.jsonl", {.resume = true});
  }();
  ASSERT_TRUE(again) << again.error().to_string();
  const schedule::SweptPair* found = again->find("abc");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->rerun.rows, pair.rerun.rows);
  EXPECT_EQ(found->rerun.times.times, pair.rerun.times.times);
  EXPECT_EQ(found->rerun.times.orders, pair.rerun.times.orders);
  EXPECT_EQ(found->sweep.rows[1].makespans, pair.sweep.rows[1].makespans);
  EXPECT_EQ(found->sweep.alone_by_round, pair.sweep.alone_by_round);
  EXPECT_EQ(verdict_json(*found), verdict_json(pair));
  const std::string line = folder.read("new.jsonl");
  EXPECT_THAT(line, HasSubstr("\"gains\":[[0.0,0.0,0.0],["));
  const Json gains = rerun_json(pair)["gains"];
  EXPECT_NEAR(gains[3][0].get<double>(), 0.25, 0.005);
  EXPECT_LT(gains[3][1], gains[3][0]);
}

// Returns a queue with streams, fifo and paired, whose rounds differ by at most 1 %. `off` is the deviation of fifo
// from its works alone.
schedule::QueueReport queue(double streams, double fifo, double paired, double off = 0.0) {
  schedule::QueueReport report;
  for (const char* const policy : {"streams", "fifo", "paired"}) report.policies.emplace_back().policy = policy;
  report.rounds.times = {rounds_of(streams, {1.0, 1.01, 0.99, 1.0, 1.0}), rounds_of(fifo, {1.0, 1.0, 1.0, 1.01, 0.99}),
                         rounds_of(paired, {0.995, 1.0, 1.0, 1.005, 1.0})};
  report.policies[0].makespan = nanoseconds_from_ms(streams);
  report.policies[1].makespan = nanoseconds_from_ms(fifo);
  report.policies[2].makespan = nanoseconds_from_ms(paired);
  report.in_turn = nanoseconds_from_ms(9.5);
  judge(off, report);
  return report;
}

TEST(CorunVerdict, OfQueuesNamesWhoIsTheFastestAndWhoCannotBeToldFromIt) {
  EXPECT_THAT(verdict_text(queue(10.0, 10.0, 9.0)), testing::StartsWith("Fastest: paired, +11."));
  EXPECT_THAT(verdict_text(queue(10.0, 10.0, 9.0)), HasSubstr(" over streams.\n"));
  EXPECT_EQ(verdict_json(queue(10.0, 10.0, 9.0))["fastest"], "paired");
  EXPECT_THAT(verdict_text(queue(10.0, 10.01, 9.99)),
              testing::MatchesRegex("No difference beyond noise between .* and .*\\.\n"));
  EXPECT_THAT(verdict_text(queue(9.0, 10.0, 9.0)), HasSubstr(", which are the fastest.\n"));
  EXPECT_EQ(verdict_json(queue(9.0, 10.0, 9.0))["fastest"], nullptr);
  EXPECT_EQ(verdict_json(queue(9.0, 10.0, 9.0))["ties"].size(), 2U);
}

TEST(CorunVerdict, OfQueuesIsWithheldWhereFifoIsOff) {
  const schedule::QueueReport off = queue(10.0, 10.0, 9.0, 0.05);
  EXPECT_THAT(verdict_text(off), testing::StartsWith("No verdict: fifo should take what its works take alone, 9.5 ms"));
  EXPECT_EQ(verdict_json(off)["fastest"], nullptr);
  EXPECT_THAT(verdict_json(off)["withheld"].get<std::string>(), HasSubstr("off by +5.0 %"));
  EXPECT_EQ(off.policies[2].gain, std::nullopt);
  const schedule::QueueReport near = queue(10.0, 10.0, 9.0, 0.02);
  EXPECT_THAT(verdict_text(near), testing::StartsWith("Fastest: paired"));
  EXPECT_NEAR(near.policies[2].gain->gain, 0.111, 0.005);
}

}  // namespace
}  // namespace wattune::cli
