#include <fmt/format.h>

#include <algorithm>

#include "core/interface/printable.h"
#include "report/best_table.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

std::string level_note(const std::vector<const Trial*>& trials) {
  const std::size_t level = count_level(trials);
  if (level == 0) return {};
  const std::string why = is_winner(*trials.front())
                              ? "they were as good in turns with it"
                              : fmt::format("their {:.0f} % intervals meet its own",
                                            statistics_of(*trials.front()).confidence.value_or(0.0) * 100);
  return fmt::format("= {} more cannot be told from the best: {}\n", level, why);
}

// Describes how the ratio of the best Trial to the default was found. Returns an empty text if no final was held.
std::string how_compared(const Trial& best) {
  if (const std::optional<PairedGain>& gain = best.observation.over_default)
    return fmt::format("The final measured that in turns, with an interval of {:.2f} to {:.2f} (95 %).\n", gain->low,
                       gain->high);
  return is_winner(best) ? "That is the ratio of their medians.\n" : "";
}

// Returns a note on the number of Trials that the slowdown limit excluded. Returns an empty text without such a limit.
std::string slowdown_note(const ResultSet& results, std::size_t left_out) {
  const std::optional<double> slowdown = slowdown_of(results.info.objectives);
  if (!slowdown) return {};
  return fmt::format(
      "Only configurations that take at most {} count, {:g} % more than the fastest; slower and left out: {}.\n",
      time_text(results.longest_time()), 100.0 * *slowdown, left_out);
}

std::string default_note(const ResultSet& results, const Trial& best) {
  const Trial* trial = default_trial(results);
  if (trial == nullptr || results.best() == nullptr) return {};
  if (!has_time(*trial))
    return fmt::format("The default configuration failed ({}).\n", to_string(trial->observation.status));
  if (trial == &best) return "The best is the default configuration: no other proved better.\n";
  if (!trial->observation.has_objective()) return "The default configuration has no value of the objective.\n";
  const std::optional<double> ratio = gain_over_default(best.observation, trial->observation);
  if (!ratio) return {};
  if (const auto objective = searched_for(results))
    return fmt::format("The default configuration has {} {}; the best is {:.2f} times as good.\n{}",
                       objective_text(*trial, *objective), objective->metric, *ratio, how_compared(best));
  return fmt::format("The default configuration takes {}; the best is {:.2f} times as fast.\n{}",
                     time_text(time_of(*trial)), *ratio, how_compared(best));
}

// Returns a note on why some correct configurations lack a metric. Returns an empty text if no metric is lacking.
std::string lacking_note(const ResultSet& results, const std::vector<const Trial*>& trials) {
  const auto lacks = [](const Trial* trial) { return !trial->observation.lacking.empty(); };
  const auto first = std::ranges::find_if(trials, lacks);
  std::string text;
  if (first != trials.end())
    text = fmt::format("{} of {} correct configurations lack a metric: {}.\n", std::ranges::count_if(trials, lacks),
                       trials.size(), printable((*first)->observation.lacking));
  return results.best() == nullptr ? text + "None of them has a value of the objective.\n" : text;
}

std::string fitted(const std::string& lines, std::size_t width) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    text += paragraph(std::string_view(lines).substr(begin, end - begin), width);
    begin = end + 1;
  }
  return text;
}

std::string text_of(const BestTable& table, std::size_t rows, std::size_t width) {
  std::vector<TextTable::Column> columns;
  for (const std::string& title : table.titles()) columns.push_back({title});
  TextTable text(std::move(columns));
  for (std::size_t i = 0; i < rows; ++i) text.add_row(table.cells_of(i));
  return text.to_string(width);
}

}  // namespace

std::string table_of_best(const ResultSet& results, std::size_t rows, std::size_t width,
                          const std::vector<std::string>& metrics) {
  if (results.trials.empty()) return paragraph("No configuration was evaluated.", width);
  std::vector<const Trial*> trials = ranked(results);
  const Nanoseconds longest = results.longest_time();
  const auto slow = std::erase_if(trials, [longest](const Trial* trial) { return time_of(*trial) > longest; });
  if (trials.empty())
    return paragraph(fmt::format("None of {} evaluations gave a correct result.", results.trials.size()), width);
  const BestTable table(results, trials, metrics);
  return text_of(table, std::min(rows, trials.size()), width) +
         fitted(slowdown_note(results, slow) + lacking_note(results, trials) + table.notes(rows) + level_note(trials) +
                    default_note(results, *trials.front()),
                width);
}

}  // namespace wattune::report
