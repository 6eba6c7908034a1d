#include <gmock/gmock.h>

#include <sstream>

#include "report/interface/text.h"
#include "report/results_builder.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TableOfBest, RanksWithUnitIntervalAndSpeedup) {
  const ResultSet results = ResultsBuilder({{.name = "x", .values = {1, 2, 4}},
                                            {.name = "fixed", .values = {7}},
                                            {.name = "mode", .values = {"fast", "slow"}}})
                                .default_values({1, 7, "slow"})
                                .time({1, 7, "slow"}, 3e6, 1e4)
                                .time({2, 7, "fast"}, 1.5e6, 1e4)
                                .failure({4, 7, "slow"}, Status::compile, "no")
                                .time({4, 7, "fast"}, 1.515e6, 1e4);
  EXPECT_EQ(table_of_best(results, 10, 100),
            " #  time (ms)        interval  vs default  x  mode\n"
            " 1      1.500  1.490 .. 1.510       2.00x  2  fast\n"
            "=2      1.515  1.505 .. 1.525       1.98x  4  fast\n"
            " 3      3.000  2.990 .. 3.010       1.00x  1  slow\n"
            "= 1 more cannot be told from the best: their 95 % intervals meet its own\n"
            "The default configuration takes 3.000 ms; the best is 2.00 times as fast.\n");
}

TEST(FigureText, ShowsDigitsDownToTheUncertainty) {
  EXPECT_EQ(figure_text({"energy", 12.3456, "J", 0.412}), "12.35 ± 0.41");
  EXPECT_EQ(figure_text({"energy", 1.23456e-9, "J", 3e-11}), "1.235e-09 ± 3e-11");
  EXPECT_EQ(figure_text({"energy", 12.3456789, "J", 1e-9}), "12.3457 ± 1e-09");
  EXPECT_EQ(figure_text({"energy", 1.0, "J", 5.0}), "1 ± 5");
  EXPECT_EQ(figure_text({"registers", 12.3456789, ""}), "12.3457");
}

TEST(TableOfBest, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(table_of_best(one_parameter().time({2}, 250).time({4}, 1e4), 1, 80),
            "#  time (ns)  x\n"
            "1      250.0  2\n");
}

TEST(TableOfBest, ShowsAConfigurationOnceWithItsLastTrial) {
  EXPECT_EQ(table_of_best(one_parameter().time({2}, 250).time({2}, 300).time({4}, 400), 5, 80),
            "#  time (ns)  x\n"
            "1      300.0  2\n"
            "2      400.0  4\n");
}

TEST(TableOfBest, ShowsWhatWasSearchedFor) {
  ResultSet results = one_parameter().default_values({1}).time({1}, 300, 10).time({2}, 900, 10);
  results.info.objectives = {{"rate", true}};
  results.trials[0].observation.objective_value = -5.0;
  results.trials[1].observation.objective_value = -20.0;
  EXPECT_EQ(table_of_best(results, 5, 80),
            "#  rate  time (ns)        interval  vs default  x\n"
            "1    20      900.0  890.0 .. 910.0       4.00x  2\n"
            "2     5      300.0  290.0 .. 310.0       1.00x  1\n"
            "The default configuration has 5 rate; the best is 4.00 times as good.\n");
}

TEST(TableOfBest, MarksObjectivesThatAreBounds) {
  ResultSet results = one_parameter().time({1}, 300, 10).time({2}, 900, 10);
  results.info.objectives = {{"energy", false}};
  results.trials[0].observation.objective_value = 0.5;
  results.trials[1].observation.objective_value = 0.75;
  results.trials[1].observation.metrics = {{"energy_at_least", 0.75, "J"}};
  EXPECT_EQ(table_of_best(results, 5, 80),
            "#  energy  time (ns)        interval  x\n"
            "1     0.5      300.0  290.0 .. 310.0  1\n"
            "2  >=0.75      900.0  890.0 .. 910.0  2\n");
}

// 2 won the final, in which 1, the default, took part; 4 was measured before it, when the device was faster.
TEST(TableOfBest, MarksWhatRanAtAnotherTimeThanTheDefault) {
  ResultSet results = one_parameter().default_values({1}).time({4}, 160).time({2}, 250).time({1}, 4000);
  results.trials[1].observation.final_place = FinalPlace::winner;
  results.trials[1].finished_at += std::chrono::seconds(9);
  results.trials[2].finished_at += std::chrono::seconds(9);
  EXPECT_EQ(table_of_best(results, 2, 80),
            "#  time (ns)  vs default  x\n"
            "1      250.0      16.00x  2\n"
            "2      160.0     ~25.00x  4\n"
            "The finalists come first, in the order of the final, where they ran in turns;\n"
            "the times of the others come from the search and cannot be compared with theirs.\n"
            "~ is the ratio of two medians, not measured in turns with the default\n"
            "The default configuration takes 4.000 us; the best is 16.00 times as fast.\n"
            "That is the ratio of their medians.\n");
}

// Returns results in which the winner was faster in each round of turns with the default, 1, whatever the medians are.
// 8 was in the search only: 268 / 265 = 1.01.
ResultSet with_final() {
  return one_parameter()
      .default_values({1})
      .time({8}, 265, 5)
      .time({1}, 272, 9)
      .in_final(FinalPlace::behind, 268)
      .time({2}, 280, 9)
      .in_final(FinalPlace::winner, 260, PairedGain{1.27, 1.2, 1.3})
      .time({4}, 270, 9)
      .in_final(FinalPlace::tied, 261, PairedGain{1.26, 1.19, 1.31});
}

TEST(TableOfBest, OrdersAndComparesAsTheFinalDid) {
  EXPECT_EQ(table_of_best(with_final(), 5, 80),
            " #  time (ns)        interval  vs default  x\n"
            " 1      280.0  271.0 .. 289.0       1.27x  2\n"
            "=2      270.0  261.0 .. 279.0       1.26x  4\n"
            " 3      272.0  263.0 .. 281.0       1.00x  1\n"
            " 4      265.0  260.0 .. 270.0      ~1.01x  8\n"
            "The finalists come first, in the order of the final, where they ran in turns;\n"
            "the times of the others come from the search and cannot be compared with theirs.\n"
            "~ is the ratio of two medians, not measured in turns with the default\n"
            "= 1 more cannot be told from the best: they were as good in turns with it\n"
            "The default configuration takes 272.0 ns; the best is 1.27 times as fast.\n"
            "The final measured that in turns, with an interval of 1.20 to 1.30 (95 %).\n");
}

TEST(TableOfBest, SaysThatNothingIsBetterThanTheDefault) {
  const ResultSet results = one_parameter()
                                .default_values({1})
                                .time({1}, 272)
                                .in_final(FinalPlace::winner, 270)
                                .time({2}, 271)
                                .in_final(FinalPlace::tied, 265, PairedGain{1.0, 0.98, 1.01});
  EXPECT_THAT(table_of_best(results, 5, 80), HasSubstr(" 1      272.0       1.00x  1\n"
                                                       "=2      271.0       1.00x  2\n"));
  EXPECT_THAT(table_of_best(results, 5, 80),
              HasSubstr("The best is the default configuration: no other proved better.\n"));
  EXPECT_THAT(table_of_best(one_parameter().default_values({1}).time({1}, 5).time({2}, 6), 5, 80),
              HasSubstr("The best is the default configuration: no other proved better.\n"));
}

TEST(TableOfBest, NamesTheTiesOfAnyObjective) {
  ResultSet results = one_parameter().time({1}, 300).time({2}, 900).time({4}, 500);
  results.info.objectives = {{"rate", true}};
  for (Trial& trial : results.trials) trial.observation.objective_value = -20.0;
  results.trials[0].observation.final_place = FinalPlace::winner;
  results.trials[1].observation.final_place = FinalPlace::tied;
  results.trials[2].observation.final_place = FinalPlace::behind;
  EXPECT_EQ(table_of_best(results, 5, 80),
            " #  rate  time (ns)  x\n"
            " 1    20      300.0  1\n"
            "=2    20      900.0  2\n"
            " 3    20      500.0  4\n"
            "= 1 more cannot be told from the best: they were as good in turns with it\n");
}

TEST(TableOfBest, SaysThatTheDefaultFailed) {
  const ResultSet results = one_parameter().default_values({1}).failure({1}, Status::timeout, "hangs").time({2}, 300);
  EXPECT_THAT(table_of_best(results, 5, 80), HasSubstr("The default configuration failed (timeout).\n"));
}

TEST(TableOfBest, PicksTheUnitByTheBestTime) {
  EXPECT_THAT(table_of_best(one_parameter().time({1}, 12), 1, 80), HasSubstr("12.00"));
  EXPECT_THAT(table_of_best(one_parameter().time({1}, 1234), 1, 80), HasSubstr("time (us)"));
  EXPECT_THAT(table_of_best(one_parameter().time({1}, 2.5e9), 1, 80), HasSubstr("time (s)"));
}

TEST(TableOfFailures, GroupsByKindAndMessage) {
  auto builder = one_parameter();
  for (int i = 0; i < 3; ++i) builder.failure({2}, Status::compile, "error: `foo`\nis undeclared");
  builder.failure({4}, Status::compile, "").failure({8}, Status::timeout, "ran for 2 s").time({1}, 5);
  EXPECT_EQ(table_of_failures(builder, 80),
            "compile: 4\n"
            "     3x  error: `foo` is undeclared\n"
            "         e.g. x=2\n"
            "     1x  (no message)\n"
            "         e.g. x=4\n"
            "timeout: 1\n"
            "     1x  ran for 2 s\n"
            "         e.g. x=8\n");
}

TEST(TableOfFailures, ListsTheMostFrequentMessages) {
  auto builder = one_parameter();
  for (int message = 0; message < 5; ++message)
    for (int i = 0; i <= message; ++i) builder.failure({1}, Status::runtime, "m" + std::to_string(message));
  const std::string table = table_of_failures(builder, 80);
  EXPECT_THAT(table, HasSubstr("     5x  m4\n"));
  EXPECT_THAT(table, HasSubstr("     3x  m2\n"));
  EXPECT_THAT(table, Not(HasSubstr("m1")));
  EXPECT_THAT(table, HasSubstr("         and 2 other messages\n"));
}

TEST(Reports, KeepTerminalEscapesOut) {
  const ResultSet results = ResultsBuilder({{.name = "x\x1b[31m", .values = {"\x1b[2J", 1}}})
                                .failure({1}, Status::runtime, "\x1b]0;title\a")
                                .time({"\x1b[2J"}, 5);
  for (const std::string& text : {table_of_best(results, 5, 80), table_of_failures(results, 80),
                                  table_of_importance(results, 80), plot_convergence_svg(results)})
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(Reports, FitTheWidth) {
  auto builder = ResultsBuilder({{.name = "a_long_parameter_name", .values = {1, 2}},
                                 {.name = "another_long_parameter_name", .values = {"ä", "b"}}});
  builder.default_values({1, "b"});
  for (int i = 0; i < 8; ++i) {
    builder.time({1 + i % 2, i % 3 == 0 ? "ä" : "b"}, 1e6 + i * 1e4, 2e4);
    builder.failure({1, "b"}, Status::compile, std::string(200, 'x'));
  }
  const ResultSet results = builder;
  for (const std::size_t width : {20, 30, 47, 80}) {
    for (const std::string& text : {table_of_best(results, 10, width), table_of_failures(results, width),
                                    table_of_importance(results, width), plot_convergence(results, width, 10)}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), width) << line;
    }
  }
}

TEST(Reports, SurviveResultsWithoutACorrectTrial) {
  const ResultSet failed = one_parameter().default_values({1}).failure({1}, Status::compile, "no");
  for (const ResultSet& results : {ResultSet(), ResultSet(one_parameter()), failed}) {
    EXPECT_FALSE(table_of_best(results, 10, 80).empty());
    EXPECT_FALSE(table_of_failures(results, 80).empty());
    EXPECT_FALSE(table_of_importance(results, 80).empty());
    EXPECT_FALSE(plot_convergence(results, 80, 10).empty());
    EXPECT_THAT(plot_convergence_svg(results), HasSubstr("</svg>"));
    EXPECT_EQ(write_header({results}).error().code(), ErrorCode::not_found);
    for (const Importance& each : parameter_importance(results)) EXPECT_FALSE(each.main_effect);
  }
  EXPECT_EQ(table_of_best(failed, 10, 80), "None of 1 evaluations gave a correct result.\n");
  EXPECT_EQ(table_of_failures(one_parameter().time({1}, 5), 80), "No failures: 1 evaluations, all correct.\n");
}

TEST(TextTable, AlignsByCharactersWithoutTrailingBlanks) {
  TextTable table = TextTable::of_text({"a", "long"});
  table.add_row({"wäde", "b"});
  table.add_row({"x", ""});
  EXPECT_EQ(table.to_string(), "a     long\nwäde  b\nx\n");
}

TEST(Text, WrapsAtSpacesAndBars) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 6), "one\ntwo\nthree");
  EXPECT_EQ(wrapped(" MODE a|bc|def", 8), " MODE a|\nbc|def");
  EXPECT_EQ(wrapped("unbreakable it is", 4), "unbreakable\nit\nis");
  EXPECT_EQ(wrapped("", 4), "");
  EXPECT_EQ(wrapped("äö ü", 3), "äö\nü");
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two", 0, 2), "one\n  two");
}

// In 24 columns every word of a sentence is there, and no line is longer.
TEST(Tables, WrapSentencesOnNarrowTerminals) {
  const ResultSet results = ResultsBuilder({{.name = "x", .values = {1, 2}}})
                                .default_values({2})
                                .failure({1}, Status::runtime, "the kernel wrote past the end of its buffer")
                                .time({1}, 5)
                                .time({2}, 10);
  const std::string text = table_of_best(results, 10, 24) + table_of_failures(results, 24) +
                           table_of_importance(results, 24) + plot_convergence(ResultSet{}, 24, 8);
  EXPECT_THAT(text, testing::HasSubstr("the best is\n2.00 times as fast.\n"));
  EXPECT_THAT(text, testing::HasSubstr("the kernel\n         wrote past the\n         end of its\n         buffer\n"));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    EXPECT_LE(width_of(text.substr(begin, text.find('\n', begin) - begin)), 24u) << text.substr(begin);
}

TEST(Text, CutsAtCharactersNotBytes) {
  EXPECT_EQ(cut("äöü", 3), "äöü");
  EXPECT_EQ(cut("äöüß", 3), "äö…");
  EXPECT_EQ(cut("abc", 1), "…");
  EXPECT_EQ(cut("abc", 0), "");
}

}  // namespace
}  // namespace wattune::report
