#include <fmt/format.h>

#include <cmath>

#include "core/interface/printable.h"
#include "core/interface/wording.h"
#include "report/best_table.h"
#include "report/interface/analysis.h"
#include "report/page/objective_history.h"
#include "report/page/tuning_sections.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

// Lists each evaluation at which the best time so far changed.
PageTable steps_of(const ResultSet& results) {
  PageTable table = PageTable::of(0, {"evaluation", "time of the best so far"});
  const std::vector<double> best = convergence(results);
  for (std::size_t i = 0; i < best.size(); ++i)
    if (!std::isnan(best[i]) && (i == 0 || best[i] != best[i - 1]))
      table.rows.push_back({group_digits(i + 1), time_text(nanoseconds_from_ms(best[i]))});
  return table;
}

std::string spread_of(const TuningRun& run, double value) {
  if (!run.objective) return time_text(Nanoseconds(value));
  return fmt::format("{:.6g}", run.objective->maximize ? -value : value);
}

constexpr double kNearShares[] = {0.01, 0.05, 0.10};

PageTable spread_table(const TuningRun& run, const Distribution& spread) {
  PageTable table = PageTable::of(1, {"configuration", run.objective ? run.objective->metric : "time"});
  table.rows = {{"the best", spread_of(run, spread.best)},
                {"better than three quarters", spread_of(run, spread.quarter)},
                {"the median", spread_of(run, spread.median)},
                {"better than a quarter", spread_of(run, spread.three_quarters)},
                {"the worst", spread_of(run, spread.worst)}};
  return table;
}

std::string near_words(const TuningRun& run, const Distribution& spread) {
  std::string text;
  for (const double share : kNearShares)
    text += fmt::format("{}{} within {:.0f} %", text.empty() ? "" : ", ",
                        group_digits(count_within(run.results, share)), 100.0 * share);
  return fmt::format("Near the best are, of {}: {}. The best counts itself.",
                     counted(spread.correct, "correct configuration"), text);
}

std::string space_words(const ResultSet& results) {
  if (!describes_space(results)) return "These results are too few, or lie too far apart, to tell of local minima.";
  const Amortisation amortisation = amortisation_of(results);
  const std::size_t minima = centrality_of(results, {}).minima;
  std::string text =
      fmt::format("The space has {} local {}.", group_digits(minima), minima == 1 ? "minimum" : "minima");
  if (amortisation.launches > 0.0 && amortisation.launches < 1e15)
    text += fmt::format(" Random search would pay off after {} launches.",
                        group_digits(static_cast<std::uint64_t>(amortisation.launches)));
  return text;
}

}  // namespace

std::optional<PageSection> history_section(const TuningRun& run) {
  if (!run.has_answer()) return std::nullopt;
  PageSection section("history", "History of the search");
  if (run.objective) {
    const ObjectiveHistory history = objective_history(run);
    section.add_picture(
        history.svg,
        fmt::format("The best {} so far over the evaluations, with each of them", printable(run.objective->metric)),
        history.steps);
  }
  section.add_picture(plot_convergence_svg(run.results),
                      run.objective ? fmt::format("The time of the best so far by {}, and that of each evaluation",
                                                  printable(run.objective->metric))
                                    : "The best time so far over the evaluations, with each of them",
                      steps_of(run.results));
  return section;
}

std::optional<PageSection> distribution_section(const TuningRun& run) {
  constexpr std::size_t kFewestForQuartiles = 4;
  const Distribution spread = distribution_of(run.results);
  if (spread.correct < kFewestForQuartiles) return std::nullopt;
  PageSection section("distribution", "Distribution");
  section.add_words(near_words(run, spread));
  section.add_picture(plot_distribution_svg({run.results}, {name_of(run.results.info)}),
                      "Which share of all configurations reaches which share of the best one's performance",
                      spread_table(run, spread));
  section.add_words(space_words(run.results));
  return section;
}

}  // namespace wattune::report
