// The page of `wattune score --json`.
#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/document_text.h"
#include "cli/pages/documents.h"
#include "cli/program/text.h"
#include "report/interface/interval_plot.h"
#include "wattune/report/report.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

std::optional<std::pair<double, double>> score_interval(const Json& scored) {
  const Json& ends = member_or_null(scored, "interval");
  if (!ends.is_array() || ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number()) return std::nullopt;
  return std::pair(ends[0].get<double>(), ends[1].get<double>());
}

std::string score_interval_text(const Json& scored) {
  const auto ends = score_interval(scored);
  return ends ? fmt::format("{:.3f} to {:.3f}", ends->first, ends->second) : "";
}

std::string score_text(const Json& scored) {
  const auto score = number_of(scored, "score");
  return score ? fmt::format("{:.3f}", *score) : "";
}

// Returns the strategies by their scores, the best first.
std::vector<Json> by_score(std::vector<Json> strategies) {
  const auto score = [](const Json& each) { return -number_of(each, "score").value_or(-1e300); };
  std::ranges::stable_sort(strategies, {}, score);
  return strategies;
}

// Tells whether the two best can be told apart, by their intervals.
std::string lead_words(const std::vector<Json>& strategies) {
  if (strategies.size() < 2) return "No other strategy was scored.";
  const auto first = score_interval(strategies[0]);
  const auto second = score_interval(strategies[1]);
  const std::string next = text_of(strategies[1], "strategy");
  if (!first || !second) return fmt::format("The next is {}, with {}.", next, score_text(strategies[1]));
  return fmt::format("The next is {}, with {}. Their intervals {}.", next, score_text(strategies[1]),
                     second->second >= first->first ? "meet, so the order may be chance" : "do not meet");
}

std::string test_words(const Json& strategy) {
  const Json& against = member_or_null(strategy, "against_first");
  const auto p = number_of(against, "p");
  if (!p) return {};
  return fmt::format("Against the first strategy of the command the difference is {:+.3f} (p = {:.3g}).",
                     number_of(against, "difference").value_or(0.0), *p);
}

// Returns the strategy with which the best is compared: the next one.
PageCard sureness_of_scores(const std::vector<Json>& strategies) {
  PageCard card{.question = "How sure that is", .figure = "Not known", .words = {lead_words(strategies)}};
  if (strategies.size() < 2) return card;
  const auto first = score_interval(strategies[0]);
  const auto second = score_interval(strategies[1]);
  if (first && second) card.figure = second->second >= first->first ? "Level with the next" : "Decided";
  if (first && second && second->second >= first->first) {
    std::size_t level = 0;
    for (std::size_t i = 1; i < strategies.size(); ++i)
      if (const auto ends = score_interval(strategies[i]); ends && ends->second >= first->first) ++level;
    card.words.push_back(fmt::format("The intervals of {} meet its own.",
                                     level == 1 ? "one other strategy" : group_digits(level) + " other strategies"));
  }
  if (std::string words = test_words(strategies.front()); !words.empty()) card.words.push_back(std::move(words));
  return card;
}

PageCard worth_of_best(const std::vector<Json>& strategies) {
  const Json& best = strategies.front();
  PageCard card{.question = "What it is worth over random search", .figure = score_text(best), .words = {}};
  card.words.emplace_back("This is its score: random search has 0, and the optimum from the start 1.");
  if (const std::string ends = score_interval_text(best); !ends.empty())
    card.words.push_back(fmt::format("Its 95 % interval is {}.", ends));
  if (const auto speedup = number_of(member_or_null(best, "reach"), "speedup"))
    card.words.push_back(fmt::format("It comes near the optimum {:.2f} times as fast as random search.", *speedup));
  return card;
}

PageSection answer_of_scores(const Json& document, const std::vector<Json>& strategies) {
  PageSection section("answer", "The answer");
  PageCard card{.question = "Which strategy searches best", .figure = "Nothing", .words = {}};
  if (strategies.empty()) {
    card.words.emplace_back("No strategy was scored.");
    section.add_cards({card});
    return section;
  }
  card.figure = text_of(strategies.front(), "strategy");
  card.words.push_back(fmt::format("It has the highest score of all {} that were scored, on {}.",
                                   group_digits(strategies.size()),
                                   counted(elements_of(document, "spaces").size(), "space")));
  section.add_cards({card, sureness_of_scores(strategies), worth_of_best(strategies)});
  return section;
}

PageSection next_of_scores(const std::vector<Json>& strategies) {
  PageSection section("next", "What to do next");
  if (!strategies.empty())
    section.add_command(
        "This searches by it (SPEC is the file of a kernel):",
        fmt::format("wattune tune SPEC --strategy {}", quoted_for_shell(text_of(strategies.front(), "strategy"))));
  section.add_command("Without a choice, the strategy auto decides by the budget:", "wattune tune SPEC");
  return section;
}

PageSection scores_section(const std::vector<Json>& strategies) {
  PageSection section("scores", "All strategies");
  PageTable table =
      PageTable::of(1, {"strategy", "score", "95 %", "difference to the first", "p", "near the optimum, times faster"});
  std::vector<report::IntervalLine> lines;
  std::vector<report::PerformanceCurve> curves;
  for (const Json& each : strategies) {
    const Json& against = member_or_null(each, "against_first");
    table.rows.push_back({text_of(each, "strategy"), score_text(each), score_interval_text(each),
                          number_text(against, "difference"), number_text(against, "p"),
                          number_text(member_or_null(each, "reach"), "speedup")});
    if (const auto ends = score_interval(each))
      lines.push_back({text_of(each, "strategy"), number_of(each, "score").value_or(0.0), ends->first, ends->second});
    report::PerformanceCurve curve{.name = text_of(each, "strategy"), .values = {}};
    for (const Json& value : elements_of(each, "curve"))
      if (value.is_number()) curve.values.push_back(value.get<double>());
    curves.push_back(std::move(curve));
  }
  if (lines.empty())
    section.add_table("Scores", table);
  else
    section.add_picture(report::draw_intervals(lines, "score, with its 95 % interval"),
                        "The scores with their intervals", table);
  section.add_picture(report::plot_performance_svg("Performance over the budget", curves),
                      "The mean performance of each strategy while it searches", table);
  return section;
}

// Shows the score of each strategy on each space.
PageSection spaces_section(const Json& document, const std::vector<Json>& strategies) {
  PageSection section("spaces", "The spaces");
  PageTable table = PageTable::of(2, {"space", "device", "correct", "failed"});
  for (const Json& strategy : strategies) table.columns.push_back({.title = text_of(strategy, "strategy")});
  const std::vector<Json> spaces = elements_of(document, "spaces");
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back(
        std::vector<std::string>{text_of(spaces[i], "space"), text_of(spaces[i], "device"),
                                 number_text(spaces[i], "correct"), number_text(spaces[i], "failed")});
    for (const Json& strategy : strategies) {
      const std::vector<Json> scored = elements_of(strategy, "spaces");
      row.push_back(i < scored.size() ? score_text(scored[i]) : "");
    }
  }
  section.add_table("The score on each space", table);
  return section;
}

PageSection origin_of_scores(const Json& document, const std::string& file) {
  PageSection section("origin", "Conditions");
  section.add_facts({{"clock", text_of(document, "clock")},
                     {"runs of each strategy", number_text(document, "repeats")},
                     {"seed", number_text(document, "seed")},
                     {"proposals in advance", number_text(document, "ahead")},
                     {"file", file}});
  section.add_words("Nothing was measured: strategies searched recorded spaces.");
  return section;
}

}  // namespace

std::vector<report::PagePart> parts_of_scores(const Json& document, const std::string& file) {
  const std::vector<Json> strategies = by_score(elements_of(document, "strategies"));
  return {{.title = "Scores of strategies",
           .sections = {answer_of_scores(document, strategies), next_of_scores(strategies), scores_section(strategies),
                        spaces_section(document, strategies), origin_of_scores(document, file)}}};
}

}  // namespace wattune::cli
