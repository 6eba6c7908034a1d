#include "report/best_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/interface/energy.h"
#include "core/interface/printable.h"
#include "report/interface/text.h"

namespace wattune::inline v0_1::report {

namespace {

bool has_interval(const Trial* trial) { return statistics_of(*trial).confidence.has_value(); }

// True if the intervals of both times overlap. Then another measurement might rank the two in the other order.
bool intervals_meet(const Trial& trial, const Trial& best) {
  return !best.observation.objective_value && has_interval(&trial) && has_interval(&best) &&
         statistics_of(trial).interval_low <= statistics_of(best).interval_high;
}

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

}  // namespace

bool is_level_with(const Trial& trial, const Trial& best) {
  if (best.observation.final_place != FinalPlace::winner) return intervals_meet(trial, best);
  return ran_beside(trial, best) && trial.observation.final_place == FinalPlace::tied;
}

std::size_t count_level(const std::vector<const Trial*>& ranked_trials) {
  return static_cast<std::size_t>(std::count_if(ranked_trials.begin() + 1, ranked_trials.end(), [&](const Trial* each) {
    return is_level_with(*each, *ranked_trials.front());
  }));
}

std::string objective_text(const Trial& trial, const Objective& objective) {
  const double value = trial.observation.objective();
  if (!std::isfinite(value)) return "none";
  const bool is_bound = was_left_out(trial.observation) && trial.observation.objective_value;
  const char* const bound = !is_bound ? "" : objective.maximize ? "<=" : ">=";
  return fmt::format("{}{:.6g}", bound, objective.maximize ? -value : value);
}

BestTable::BestTable(const ResultSet& results, std::vector<const Trial*> trials,
                     const std::vector<std::string>& metrics)
    : trials_(std::move(trials)),
      metrics_(metrics),
      parameters_(varied_parameters(results)),
      times_(time_of(*trials_.front())),
      objective_(searched_for(results)),
      default_(default_trial(results)),
      has_final_(std::ranges::any_of(results.trials, is_winner)),
      has_intervals_(std::any_of(trials_.begin(), trials_.end(), has_interval)),
      titles_{"#"} {
  if (default_ != nullptr && !has_time(*default_)) default_ = nullptr;
  if (objective_) titles_.push_back(printable(objective_->metric));
  titles_.push_back(fmt::format("time ({})", times_.unit()));
  if (has_intervals_) titles_.emplace_back("interval");
  if (default_ != nullptr) titles_.emplace_back("vs default");
  for (const std::string& name : metrics_) titles_.push_back(cut(printable(name), kLongestMetric));
  for (const std::size_t i : parameters_) titles_.push_back(printable(results.info.parameters[i].name));
}

std::string BestTable::notes(std::size_t rows) const {
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

// True unless a final measured the default anew and this Trial took no part in it.
bool BestTable::is_beside_default(const Trial& trial) const {
  return !has_final_ || trial.finished_at == default_->finished_at;
}

std::vector<std::string> BestTable::cells_of(std::size_t rank) const {
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
  for (const std::size_t i : parameters_) cells.push_back(printable(trial.configuration.values()[i].to_string()));
  return cells;
}

}  // namespace wattune::report
