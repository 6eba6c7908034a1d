#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/interface/energy.h"
#include "core/interface/printable.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

// Returns the statistics. Precondition: the Trial is correct.
const Statistics& statistics_of(const Trial& trial) {
  return *trial.observation.statistics;  // NOLINT(bugprone-unchecked-optional-access)
}

bool has_interval(const Trial* trial) { return statistics_of(*trial).confidence.has_value(); }

// True if the intervals of both times overlap. Then another measurement might rank the two in the other order.
bool intervals_meet(const Trial& trial, const Trial& best) {
  return !best.observation.objective_value && has_interval(&trial) && has_interval(&best) &&
         statistics_of(trial).interval_low <= statistics_of(best).interval_high;
}

// True if the Trial cannot be told from the best: by the final that the best won or, without a final, because their
// intervals overlap.
bool is_level_with(const Trial& trial, const Trial& best) {
  if (best.observation.final_place != FinalPlace::winner) return intervals_meet(trial, best);
  return ran_beside(trial, best) && trial.observation.final_place == FinalPlace::tied;
}

// Formats the objective. If the energy was not measured, the value is only a bound, unless the objective is the time.
std::string objective_text(const Trial& trial, const Objective& objective) {
  const double value = trial.observation.objective();
  if (!std::isfinite(value)) return "none";
  const bool is_bound = was_left_out(trial.observation) && trial.observation.objective_value;
  const char* const bound = !is_bound ? "" : objective.maximize ? "<=" : ">=";
  return fmt::format("{}{:.6g}", bound, objective.maximize ? -value : value);
}

bool is_winner(const Trial& trial) { return trial.observation.final_place == FinalPlace::winner; }

std::string gain_text(const Trial& trial, const Trial& standard) {
  const std::optional<double> ratio = gain_over_default(trial.observation, standard.observation);
  return ratio ? fmt::format("{:.2f}x", *ratio) : "";
}

std::string metric_text(const Trial& trial, const std::string& name) {
  const auto found = std::ranges::find(trial.observation.metrics, name, &Metric::name);
  return found == trial.observation.metrics.end() ? "" : figure_text(*found);
}

// Columns for the name of a metric. Names of counters would take half a line, though their values take only a few
// columns.
constexpr std::size_t kLongestMetric = 24;

// A builder of the table. It has only those columns for which these results have values.
class BestTable {
 public:
  BestTable(const ResultSet& results, std::vector<const Trial*> trials, const std::vector<std::string>& metrics)
      : trials_(std::move(trials)),
        metrics_(metrics),
        parameters_(varied_parameters(results)),
        times_(time_of(*trials_.front())),
        objective_(searched_for(results)),
        default_(default_trial(results)),
        has_final_(std::ranges::any_of(results.trials, is_winner)),
        has_intervals_(std::any_of(trials_.begin(), trials_.end(), has_interval)) {
    if (default_ != nullptr && !has_time(*default_)) default_ = nullptr;
    std::vector<TextTable::Column> columns = {{"#"}};
    if (objective_) columns.push_back({printable(objective_->metric)});
    columns.push_back({fmt::format("time ({})", times_.unit())});
    if (has_intervals_) columns.push_back({"interval"});
    if (default_ != nullptr) columns.push_back({"vs default"});
    for (const std::string& name : metrics_) columns.push_back({cut(printable(name), kLongestMetric)});
    for (std::size_t i : parameters_) columns.push_back({printable(results.info.parameters[i].name)});
    table_ = TextTable(std::move(columns));
  }

  std::string to_string(std::size_t rows, std::size_t width) {
    for (std::size_t i = 0; i < std::min(rows, trials_.size()); ++i) table_.add_row(cells_of(i));
    return table_.to_string(width);
  }

  // Explains why rows are not in the order of their figures, and why a ratio of two medians has a ~ before it.
  std::string notes(std::size_t rows) const {
    const auto shown = std::span(trials_).first(std::min(rows, trials_.size()));
    const auto objective = [](const Trial* trial) { return trial->observation.objective(); };
    const auto beside = [&](const Trial* trial) { return is_beside_default(*trial); };
    std::string text;
    if (!std::ranges::is_sorted(shown, {}, objective))
      text +=
          "The finalists come first, in the order of the final, where they ran in turns;\nthe times of the others come "
          "from the search and cannot be compared with theirs.\n";
    if (default_ != nullptr && !std::ranges::all_of(shown, beside))
      text += "~ is the ratio of two medians, not measured in turns with the default\n";
    return text;
  }

 private:
  // True unless a final measured the default anew and this Trial took no part in it.
  bool is_beside_default(const Trial& trial) const { return !has_final_ || trial.finished_at == default_->finished_at; }

  std::vector<std::string> cells_of(std::size_t rank) const {
    const Trial& trial = *trials_[rank];
    const Statistics& statistics = statistics_of(trial);
    const bool level = rank > 0 && is_level_with(trial, *trials_.front());
    std::vector<std::string> cells = {fmt::format("{}{}", level ? "=" : "", rank + 1)};
    if (objective_) cells.push_back(objective_text(trial, *objective_));
    cells.push_back(times_.number(statistics.median));
    if (has_intervals_)
      cells.push_back(has_interval(&trial) ? fmt::format("{} .. {}", times_.number(statistics.interval_low),
                                                         times_.number(statistics.interval_high))
                                           : "");
    if (default_ != nullptr) {
      const std::string ratio = gain_text(trial, *default_);
      cells.push_back(ratio.empty() || is_beside_default(trial) ? ratio : "~" + ratio);
    }
    for (const std::string& name : metrics_) cells.push_back(metric_text(trial, name));
    for (std::size_t i : parameters_) cells.push_back(printable(trial.configuration.values()[i].to_string()));
    return cells;
  }

  std::vector<const Trial*> trials_;
  std::vector<std::string> metrics_;
  std::vector<std::size_t> parameters_;
  TimeColumn times_;
  std::optional<Objective> objective_;  // absent if it is the time
  const Trial* default_;
  bool has_final_;
  bool has_intervals_;
  TextTable table_{{}};
};

std::string level_note(const std::vector<const Trial*>& trials) {
  const auto level = std::count_if(trials.begin() + 1, trials.end(),
                                   [&](const Trial* trial) { return is_level_with(*trial, *trials.front()); });
  if (level == 0) return {};
  const std::string why = is_winner(*trials.front())
                              ? "they were as good in turns with it"
                              : fmt::format("their {:.0f} % intervals meet its own",
                                            statistics_of(*trials.front()).confidence.value_or(0.0) * 100);
  return fmt::format("= {} more cannot be told from the best: {}\n", level, why);
}

// Describes how the ratio of the best to the default was found; empty if no final was held.
std::string how_compared(const Trial& best) {
  if (const std::optional<PairedGain>& gain = best.observation.over_default)
    return fmt::format("The final measured that in turns, with an interval of {:.2f} to {:.2f} (95 %).\n", gain->low,
                       gain->high);
  return is_winner(best) ? "That is the ratio of their medians.\n" : "";
}

// Returns a note on how many Trials the slowdown limit excluded; empty without such a limit.
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

// Returns a note on why some correct configurations lack a metric; empty if none does.
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

}  // namespace

std::string table_of_best(const ResultSet& results, std::size_t rows, std::size_t width,
                          const std::vector<std::string>& metrics) {
  if (results.trials.empty()) return paragraph("No configuration was evaluated.", width);
  std::vector<const Trial*> trials = ranked(results);
  const Nanoseconds longest = results.longest_time();
  const auto slow = std::erase_if(trials, [longest](const Trial* trial) { return time_of(*trial) > longest; });
  if (trials.empty())
    return paragraph(fmt::format("None of {} evaluations gave a correct result.", results.trials.size()), width);
  BestTable table(results, trials, metrics);
  return table.to_string(rows, width) +
         fitted(slowdown_note(results, slow) + lacking_note(results, trials) + table.notes(rows) + level_note(trials) +
                    default_note(results, *trials.front()),
                width);
}

}  // namespace wattune::report
