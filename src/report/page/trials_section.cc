#include <fmt/format.h>

#include <algorithm>

#include "core/interface/wording.h"
#include "report/best_table.h"
#include "report/page/html.h"
#include "report/page/trial_data.h"
#include "report/page/tuning_sections.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::size_t kRowsWithoutScript = 1000;  // rows of the table that need no script

PageTable best_rows(const TuningRun& run, const BestTable& best) {
  PageTable table = PageTable::of(0, best.titles());
  table.columns.push_back({.title = "evaluation"});
  for (std::size_t rank = 0; rank < std::min(run.ranked.size(), kRowsWithoutScript); ++rank) {
    table.rows.push_back(best.cells_of(rank));
    table.rows.back().push_back(fmt::format("{}", run.ranked[rank] - run.results.trials.data() + 1));
  }
  return table;
}

void add_lines(const std::string& lines, PageSection& section) {
  std::string text = lines;
  std::ranges::replace(text, '\n', ' ');
  section.add_words(text.substr(0, text.find_last_not_of(' ') + 1));
}

}  // namespace

std::optional<PageSection> trials_section(const TuningRun& run) {
  if (!run.has_answer()) return std::nullopt;
  PageSection section("trials", "Parameters against time");
  const BestTable best(run.results, run.ranked, shown_metrics(run));
  const PageTable table = best_rows(run, best);
  section.add_html("<div class=\"explorer\"></div>\n");
  section.add_words(
      fmt::format("The table has {} of {}, the best first. A = before a rank means that the figures do "
                  "not tell the configuration from the best.",
                  group_digits(table.rows.size()), counted(run.ranked.size(), "correct configuration")));
  add_lines(best.notes(table.rows.size()), section);
  section.add_html("<div class=\"trials\">" + html_of(table, "Configurations, the best first") + "</div>\n");
  section.add_html("<script type=\"application/json\">" + trial_data(run) + "</script>\n");
  return section;
}

}  // namespace wattune::report
