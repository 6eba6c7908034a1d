// Writes tables of recorded configurations (docs/formats/csv.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "store/csv.h"
#include "store/recorded.h"
#include "store/winner.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

// The columns that follow the parameters, before the columns in kOwnColumns and those of the metrics.
constexpr std::array<const char*, 8> kWritten = {"status",   "time_ns",    "samples_ns",  "compile_ns",
                                                 "check_ns", "measure_ns", "overhead_ns", "finished_at"};

// Returns the mapping, including the given metrics with their units.
Json mapping_of(const RunInfo& info, const Json& metrics) {
  Json mapping = {{"kernel", info.kernel_name}, {"device", info.device.name}, {"tune_params", Json::object()}};
  for (const Parameter& parameter : info.parameters)
    for (const Value& value : parameter.values) mapping["tune_params"][parameter.name].push_back(value_to_json(value));
  mapping["columns"] = {{"status", kWritten.front()}, {kWritten.back(), kWritten.back()}};
  mapping[kObjectives] = objectives_to_json(info.objectives);
  if (!metrics.empty()) mapping["metrics"] = metrics;
  return mapping;
}

// A column of a table. It is for the value of a metric, or for the metric's uncertainty if at least one Trial has one.
struct Figure {
  std::string metric;
  bool uncertainty = false;

  bool operator==(const Figure&) const = default;
  std::string column() const { return uncertainty ? metric + kUncertainty : metric; }
};

std::vector<Figure> figures_in(const ResultSet& results) {
  std::vector<Figure> figures;
  const auto add = [&](const Figure& figure) {
    if (std::ranges::count(figures, figure) == 0) figures.push_back(figure);
  };
  for (const Trial& trial : results.trials)
    for (const Metric& metric : exported_metrics(trial.observation)) {
      add({metric.name});
      if (metric.uncertainty) add({metric.name, true});
    }
  return figures;
}

Json units_in(const ResultSet& results) {
  Json units = Json::object();
  for (const Trial& trial : results.trials)
    for (const Metric& metric : trial.observation.metrics) units.emplace(metric.name, metric.unit);
  return units;
}

std::string text_of(const Figure& figure, const std::vector<Metric>& metrics) {
  const auto metric = std::ranges::find(metrics, figure.metric, &Metric::name);
  if (metric == metrics.end()) return "";
  if (!figure.uncertainty) return fmt::format("{}", metric->value);
  return metric->uncertainty ? fmt::format("{}", *metric->uncertainty) : "";
}

std::string joined_nanoseconds(const std::vector<Sample>& samples) {
  std::string text;
  for (const Sample& sample : samples) text += fmt::format("{}{}", text.empty() ? "" : ";", sample.time.value());
  return text;
}

std::vector<std::string> own_fields_of(const Observation& observation) {
  const Json own = to_json(winner_figures(observation));
  std::vector<std::string> fields;
  for (const char* column : kOwnColumns) {
    const Json* const figure = find_member(own, column);
    if (figure == nullptr)
      fields.emplace_back();
    else if (figure->is_null())
      fields.emplace_back(kNoValue);
    else
      fields.push_back(figure->is_string() ? figure->get<std::string>() : fmt::format("{}", figure->get<double>()));
  }
  return fields;
}

std::vector<std::string> fields_of(const Trial& trial, const RunInfo& info, const std::vector<Figure>& figures) {
  const Observation observation = as_searched(trial.observation, info);
  std::vector<std::string> fields;
  for (const Value& value : trial.configuration.values()) fields.push_back(value.to_string());
  fields.emplace_back(to_string(observation.status));
  fields.push_back(observation.statistics ? fmt::format("{}", observation.statistics->median.value()) : "");
  fields.push_back(joined_nanoseconds(observation.samples));
  const PhaseTimes& phases = observation.phases;
  for (const Nanoseconds& phase : {phases.compile, phases.check, phases.measure, phases.overhead})
    fields.push_back(fmt::format("{}", phase.value()));
  fields.push_back(format_timestamp(trial.finished_at));
  std::ranges::move(own_fields_of(trial.observation), std::back_inserter(fields));
  const std::vector<Metric> known = exported_metrics(observation);
  for (const Figure& figure : figures) fields.push_back(text_of(figure, known));
  return fields;
}

// Returns the field in quotes if it holds a comma or begins with a quote.
std::string quoted_field(const std::string& field) {
  if (field.find(',') == std::string::npos && !field.starts_with('"')) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string(2, c) : std::string(1, c);
  return quoted + "\"";
}

Result<void> add_line(std::string& text, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].find_first_of("\r\n") != std::string::npos)
      return Error(ErrorCode::invalid_argument, "a table cannot hold a text with a line break").about(fields[i]);
    text += (i == 0 ? "" : ",") + quoted_field(fields[i]);
  }
  text += "\n";
  return {};
}

Result<void> check_distinct(const std::vector<std::string>& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column)
    if (std::find(std::next(column), columns.end(), *column) != columns.end())
      return Error(ErrorCode::invalid_argument, "two columns of a table would have the same name")
          .about(*column)
          .hint("write another format");
  return {};
}

}  // namespace

Result<std::string> write_csv(const ResultSet& results) {
  const std::vector<Figure> figures = figures_in(results);
  std::vector<std::string> columns;
  for (const Parameter& parameter : results.info.parameters) columns.push_back(parameter.name);
  columns.insert(columns.end(), kWritten.begin(), kWritten.end());
  columns.insert(columns.end(), kOwnColumns.begin(), kOwnColumns.end());
  for (const Figure& figure : figures) columns.push_back(figure.column());
  WATTUNE_TRY(check_distinct(columns));
  std::string text = fmt::format("# {}\n", dump(mapping_of(results.info, units_in(results))));
  WATTUNE_TRY(add_line(text, columns));
  for (const Trial& trial : results.trials) WATTUNE_TRY(add_line(text, fields_of(trial, results.info, figures)));
  return text;
}

}  // namespace wattune::store
