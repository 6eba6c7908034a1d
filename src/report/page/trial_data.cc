#include "report/page/trial_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/interface/printable.h"
#include "report/best_table.h"
#include "report/time_text.h"

namespace wattune::inline v0_1::report {

namespace {

using Trials = std::vector<const Trial*>;
using Numbers = std::vector<std::optional<double>>;

constexpr std::size_t kMostMetrics = 12;  // most metrics in the data

// Quotes a text for JSON between tags of HTML.
std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text))
    if (std::string_view("\"\\<>&").find(c) != std::string_view::npos)
      fmt::format_to(std::back_inserter(quoted), "\\u{:04x}", static_cast<unsigned>(c));
    else
      quoted += c;
  return quoted + "\"";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_text(text);
  return "[" + list + "]";
}

// Returns a list with six significant digits of each number.
std::string json_numbers(const Numbers& numbers) {
  std::string list;
  for (const std::optional<double>& number : numbers) {
    if (!list.empty()) list += ',';
    list += number && std::isfinite(*number) ? fmt::format("{:.6g}", *number) : "null";
  }
  return "[" + list + "]";
}

// Returns the ranked Trials, and then all others that count.
Trials in_order(const TuningRun& run) {
  Trials trials = run.ranked;
  const std::unordered_set<const Trial*> known(trials.begin(), trials.end());
  for (const Trial* trial : counting(run.results.trials))
    if (!known.contains(trial)) trials.push_back(trial);
  return trials;
}

std::optional<double> metric_of(const Trial& trial, const std::string& name) {
  const auto found = std::ranges::find(trial.observation.metrics, name, &Metric::name);
  return found == trial.observation.metrics.end() ? std::nullopt : std::optional(found->value);
}

// Returns the metrics that differ between Trials, with their units, in the order of their first record.
std::vector<Metric> differing_metrics(const Trials& trials) {
  std::vector<Metric> first;
  std::vector<bool> differs;
  for (const Trial* trial : trials)
    for (const Metric& metric : trial->observation.metrics) {
      const auto at = std::ranges::find(first, metric.name, &Metric::name);
      if (at == first.end()) {
        first.push_back(metric);
        differs.push_back(false);
      } else if (at->value != metric.value) {
        differs[static_cast<std::size_t>(at - first.begin())] = true;
      }
    }
  std::vector<Metric> metrics;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (differs[i]) metrics.push_back(first[i]);
  return metrics;
}

class DataColumns {
 public:
  explicit DataColumns(const TuningRun& run)
      : run_(run), trials_(in_order(run)), times_(time_of(run.best())), metrics_(differing_metrics(trials_)) {}

  std::string to_json() {
    add_marked("#", ranks(), "=", level_rows(), "");
    if (run_.objective) add_numbers(run_.objective->metric, objectives(), "result", false);
    const std::size_t time = columns_.size();
    add_times();
    add_intervals();
    if (run_.standard != nullptr) add_gains();
    add_metrics();
    add_parameters();
    add_numbers("evaluation", evaluations(), "parameter", false);
    return fmt::format("{{\"rows\":{},\"ranked\":{},\"time\":{},\"columns\":[{}],\"status\":[{}],\"statuses\":{}}}",
                       trials_.size(), run_.ranked.size(), time, fmt::join(columns_, ",\n"), statuses_of_others(),
                       json_list(names_of_statuses()));
  }

 private:
  bool is_ranked(std::size_t row) const { return row < run_.ranked.size(); }

  template <typename Figure>
  Numbers of_ranked(Figure figure) const {
    Numbers numbers;
    for (std::size_t row = 0; row < trials_.size(); ++row)
      numbers.push_back(is_ranked(row) ? figure(*trials_[row]) : std::nullopt);
    return numbers;
  }

  void add_numbers(std::string_view title, const Numbers& numbers, std::string_view kind, bool more) {
    columns_.push_back(fmt::format("{{\"t\":{},\"kind\":\"{}\"{},\"v\":{}}}", json_text(title), kind,
                                   more ? ",\"more\":1" : "", json_numbers(numbers)));
  }

  void add_marked(std::string_view title, const Numbers& numbers, std::string_view mark,
                  const std::vector<std::size_t>& of, std::string_view format) {
    columns_.push_back(fmt::format("{{\"t\":{},\"kind\":\"\",\"mark\":{},\"of\":[{}]{},\"v\":{}}}", json_text(title),
                                   json_text(mark), fmt::join(of, ","), format, json_numbers(numbers)));
  }

  Numbers ranks() const {
    Numbers ranks;
    for (std::size_t row = 0; row < trials_.size(); ++row)
      ranks.push_back(is_ranked(row) ? std::optional(static_cast<double>(row + 1)) : std::nullopt);
    return ranks;
  }

  std::vector<std::size_t> level_rows() const {
    std::vector<std::size_t> rows;
    for (std::size_t row = 1; row < run_.ranked.size(); ++row)
      if (is_level_with(*trials_[row], run_.best())) rows.push_back(row);
    return rows;
  }

  Numbers objectives() const {
    const bool maximize = run_.objective->maximize;
    return of_ranked([&](const Trial& trial) {
      const double value = trial.observation.objective();
      return std::optional(maximize ? -value : value);
    });
  }

  // Returns the times as the table writes them, with their decimals.
  std::string times(Nanoseconds Statistics::*member) const {
    std::string list;
    for (std::size_t row = 0; row < trials_.size(); ++row) {
      if (row > 0) list += ',';
      const bool is_known =
          is_ranked(row) && (member == &Statistics::median || statistics_of(*trials_[row]).confidence);
      list += is_known ? times_.number(statistics_of(*trials_[row]).*member) : "null";
    }
    return list;
  }

  std::size_t decimals() const {
    const std::string text = times_.number(time_of(run_.best()));
    const std::size_t point = text.find('.');
    return point == std::string::npos ? 0 : text.size() - point - 1;
  }

  void add_times() {
    columns_.push_back(fmt::format("{{\"t\":\"time ({})\",\"kind\":\"result\",\"f\":{},\"v\":[{}]}}", times_.unit(),
                                   decimals(), times(&Statistics::median)));
  }

  void add_intervals() {
    if (!std::ranges::any_of(run_.ranked, [](const Trial* t) { return statistics_of(*t).confidence.has_value(); }))
      return;
    columns_.push_back(fmt::format("{{\"t\":\"interval\",\"kind\":\"\",\"f\":{},\"lo\":[{}],\"hi\":[{}]}}", decimals(),
                                   times(&Statistics::interval_low), times(&Statistics::interval_high)));
  }

  void add_gains() {
    std::vector<std::size_t> approximate;
    const bool has_final = is_winner(run_.best());
    for (std::size_t row = 0; row < run_.ranked.size(); ++row)
      if (has_final && trials_[row]->finished_at != run_.standard->finished_at) approximate.push_back(row);
    add_marked("vs default",
               of_ranked([&](const Trial& t) { return gain_over_default(t.observation, run_.standard->observation); }),
               "~", approximate, ",\"f\":2");
  }

  void add_metrics() {
    const std::vector<std::string> shown = shown_metrics(run_);
    for (const std::string& name : shown) add_metric(name, false);
    std::size_t count = shown.size();
    for (const Metric& metric : metrics_) {
      const bool is_objective = run_.objective && metric.name == run_.objective->metric;
      if (is_objective || std::ranges::count(shown, metric.name) > 0 || ++count > kMostMetrics) continue;
      add_metric(metric.name, true);
    }
  }

  void add_metric(const std::string& name, bool more) {
    add_numbers(name, of_ranked([&](const Trial& trial) { return metric_of(trial, name); }), "result", more);
  }

  void add_parameters() {
    for (const std::size_t i : varied_parameters(run_.results)) {
      const Parameter& parameter = run_.results.info.parameters[i];
      std::vector<std::string> texts;
      for (const Value& value : parameter.values) texts.push_back(value.to_string());
      std::string places;
      for (const Trial* trial : trials_) {
        const auto at = std::ranges::find(parameter.values, trial->configuration.values()[i]);
        if (!places.empty()) places += ',';
        places += at == parameter.values.end() ? "null" : fmt::format("{}", at - parameter.values.begin());
      }
      columns_.push_back(fmt::format("{{\"t\":{},\"kind\":\"parameter\",\"d\":{},\"v\":[{}]}}",
                                     json_text(parameter.name), json_list(texts), places));
    }
  }

  Numbers evaluations() const {
    Numbers numbers;
    for (const Trial* trial : trials_) numbers.push_back(static_cast<double>(trial - run_.results.trials.data()) + 1.0);
    return numbers;
  }

  std::string statuses_of_others() const {
    std::string list;
    for (std::size_t row = run_.ranked.size(); row < trials_.size(); ++row)
      list += fmt::format("{}{}", list.empty() ? "" : ",", static_cast<int>(trials_[row]->observation.status));
    return list;
  }

  // Returns a name for each Status, in the order of the enumeration. A correct Trial that is not ranked is too slow.
  static std::vector<std::string> names_of_statuses() {
    std::vector<std::string> names;
    for (const Status status : kAllStatuses)
      names.emplace_back(status == Status::correct ? "not counted" : to_string(status));
    return names;
  }

  const TuningRun& run_;
  Trials trials_;
  TimeColumn times_;
  std::vector<Metric> metrics_;
  std::vector<std::string> columns_;
};

}  // namespace

std::vector<std::string> shown_metrics(const TuningRun& run) {
  constexpr std::size_t kMostShown = 4;
  std::vector<std::string> wanted;
  for (const Objective& each : run.results.info.objectives) wanted.push_back(each.metric);
  wanted.insert(wanted.end(), {"energy", "power"});
  std::vector<std::string> shown;
  for (const std::string& name : wanted) {
    const bool is_elsewhere = name == "time" || (run.objective && name == run.objective->metric);
    const auto has_it = [&](const Trial* trial) { return metric_of(*trial, name).has_value(); };
    if (!is_elsewhere && std::ranges::count(shown, name) == 0 && std::ranges::any_of(run.ranked, has_it) &&
        shown.size() < kMostShown)
      shown.push_back(name);
  }
  return shown;
}

std::string trial_data(const TuningRun& run) { return DataColumns(run).to_json(); }

}  // namespace wattune::report
