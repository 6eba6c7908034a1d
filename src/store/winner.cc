#include "store/winner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/interface/printable.h"
#include "store/recorded.h"

namespace wattune::inline v0_1::store {

namespace {

constexpr const char* kTimeMetric = "time";

Metric* find_metric(Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
  return found == observation.metrics.end() ? nullptr : &*found;
}

// Replaces the value of the metric that is the first objective by `after` if it equals `before`. Both numbers are
// costs, for which smaller is better. The cost of a maximised metric is the negative of its value.
void replace_metric(Observation& observation, const RunInfo& info, std::optional<double> before,
                    std::optional<double> after) {
  if (info.objectives.empty() || !before || !after) return;
  const double sign = info.objectives.front().maximize ? -1.0 : 1.0;
  Metric* const metric = find_metric(observation, info.objectives.front().metric);
  if (metric != nullptr && metric->value == sign * *before) metric->value = sign * *after;
}

Statistics with_median(const Observation& observation, Nanoseconds median) {
  Observation at_median;
  set_times(at_median, median, observation.samples);
  return *at_median.statistics;
}

// Returns an objective as JSON, or null if it has no value.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::optional<double> objective_in(const Json& object, const char* name) {
  return find_member(object, name) == nullptr ? std::nullopt : std::optional(objective_member(object, name));
}

bool is_rate(std::string_view metric) {
  return metric.ends_with("/s") || metric.ends_with("/W") || metric.ends_with("/J") || metric == "fitness";
}

}  // namespace

WinnerFigures winner_figures(const Observation& observation) {
  WinnerFigures figures;
  figures.place = observation.final_place;
  if (!observation.ok()) return figures;
  if (observation.objective_value) figures.objective = observation.search_figures().objective;
  if (!observation.in_search) return figures;
  figures.final_time = observation.statistics->median;
  figures.final_objective = observation.objective_value;
  return figures;
}

Observation as_searched(Observation observation, const RunInfo& info) {
  if (!observation.ok() || !observation.in_search) return observation;
  replace_metric(observation, info, observation.objective_value, observation.in_search->objective);
  observation.statistics->median = observation.in_search->time;
  return observation;
}

void restore_final(Observation& observation, const WinnerFigures& figures, const RunInfo& info) {
  if (!observation.ok()) return;
  observation.final_place = figures.place;
  observation.objective_value = figures.objective;
  if (!figures.final_time) return;
  const Nanoseconds searched = observation.statistics->median;
  observation.in_search = SearchFigures{searched, figures.objective.value_or(searched.value())};
  replace_metric(observation, info, figures.objective, figures.final_objective);
  observation.statistics = with_median(observation, *figures.final_time);
  observation.objective_value = figures.final_objective;
}

Json to_json(const WinnerFigures& figures) {
  Json json = Json::object();
  if (figures.objective) json["objective"] = number_or_null(*figures.objective);
  if (figures.place != FinalPlace::none) json["final"] = to_string(figures.place);
  if (figures.final_time) json["final_time_ns"] = figures.final_time->value();
  if (figures.final_objective) json["final_objective"] = number_or_null(*figures.final_objective);
  return json;
}

WinnerFigures winner_figures_from(const Json& object) {
  WinnerFigures figures;
  figures.objective = objective_in(object, "objective");
  figures.final_objective = objective_in(object, "final_objective");
  const std::string place = text_or(object, "final", "none");
  const std::optional<FinalPlace> known = parse_final_place(place);
  if (!known) throw Malformed(fmt::format("`final` has a value that Wattune does not know: {}", in_quotes(place)));
  figures.place = *known;
  if (find_member(object, "final_time_ns") != nullptr) {
    figures.final_time = Nanoseconds(number_member(object, "final_time_ns"));
    if (!is_measurable(*figures.final_time) || *figures.final_time == Nanoseconds())
      throw Malformed("`final_time_ns` must be a time above 0");
  }
  return figures;
}

Json objectives_to_json(const std::vector<Objective>& objectives) {
  Json json = Json::array();
  for (const Objective& each : objectives) {
    Json& entry = json.emplace_back(Json{{"metric", each.metric}, {"maximize", each.maximize}});
    if (each.slowdown) entry["slowdown"] = *each.slowdown;
  }
  return json;
}

std::vector<Objective> objectives_from_json(const Json& json) {
  std::vector<Objective> objectives;
  for (const Json& each : json) {
    objectives.push_back({text_member(each, "metric"), flag_member(each, "maximize")});
    if (find_member(each, "slowdown") != nullptr) objectives.back().slowdown = number_member(each, "slowdown");
  }
  return objectives;
}

std::vector<Objective> objectives_named(const std::vector<std::string>& metrics) {
  std::vector<Objective> objectives;
  for (const std::string& metric : metrics) objectives.push_back({metric, is_rate(metric)});
  if (objectives == std::vector<Objective>{{kTimeMetric, false}}) objectives.clear();
  return objectives;
}

void rank_by_metric(ResultSet& results) {
  if (results.info.objectives.empty() || results.info.objectives.front().metric == kTimeMetric) return;
  const Objective& first = results.info.objectives.front();
  bool any = false;
  bool all_failed = true;
  for (Trial& trial : results.trials) {
    Observation& observation = trial.observation;
    if (!observation.ok()) continue;
    all_failed = false;
    const Metric* const metric = find_metric(observation, first.metric);
    const bool known = metric != nullptr && std::isfinite(metric->value);
    observation.objective_value = std::numeric_limits<double>::infinity();
    if (known) observation.objective_value = first.maximize ? -metric->value : metric->value;
    any = any || known;
  }
  if (!any && !all_failed)
    throw Malformed(fmt::format("the file ranks by {}, which no configuration has", in_quotes(first.metric)));
}

void restore_winner(ResultSet& results, const Json& head, const std::vector<Json>& entries,
                    const std::vector<std::string>& named) {
  const Json* const own = find_member(head, kObjectives);
  if (own == nullptr) {
    results.info.objectives = objectives_named(named);
    return rank_by_metric(results);
  }
  results.info.objectives = objectives_from_json(array_member(head, kObjectives));
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (const Json* const figures = find_member(entries[i], kOwnMember))
      restore_final(results.trials[i].observation, winner_figures_from(*figures), results.info);
}

}  // namespace wattune::store
