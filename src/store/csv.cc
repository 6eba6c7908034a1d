// Reads tables of recorded configurations, with one configuration in each line. A mapping states the meaning of the
// columns (docs/formats/csv.md).
//
// No library is used: splitting the text takes 40 lines here, and 11 to 15 ms for 9.2 MB. Libcsv would take 50 to 58
// ms, and fast-cpp-csv-parser must know the number of columns when it is compiled.
#include "store/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

#include "core/interface/printable.h"
#include "store/interface/files.h"
#include "store/limits.h"
#include "store/recorded.h"
#include "store/winner.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

// A meaning that a column may have, with the usual names of such columns. The names are given without the unit, the
// likeliest one first.
struct Role {
  std::string_view name;
  std::vector<std::string_view> words;
};
const std::vector<Role>& roles() {
  static const std::vector<Role> list = {{"time", {"time", "median"}},
                                         {"samples", {"times", "samples"}},
                                         {"deltas", {"delta"}},
                                         {"compile", {"compile"}},
                                         {"check", {"check", "verification"}},
                                         {"measure", {"measure", "benchmark"}},
                                         {"overhead", {"overhead", "framework"}}};
  return list;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Divides a line at its commas. A field in quotes may contain commas. It may also contain quotes, which are written
// twice. `unquoted` keeps the texts of such fields.
std::vector<std::string_view> fields_in(std::string_view line, std::deque<std::string>& unquoted) {
  if (line.find('"') == std::string_view::npos) return split(line, ',');
  std::vector<std::string_view> fields;
  for (bool more = true; more;) {
    std::size_t end = std::min(line.find(','), line.size());
    std::string text;
    std::size_t at = 1;
    for (; line.starts_with('"') && at < line.size(); ++at) {
      if (line[at] == '"' && line.substr(at + 1, 1) != "\"") break;
      if (line[at] == '"') ++at;
      text += line[at];
    }
    const bool quoted = line.starts_with('"') && at < line.size() && (at + 1 == line.size() || line[at + 1] == ',');
    if (quoted) end = at + 1;
    fields.push_back(quoted ? std::string_view(unquoted.emplace_back(std::move(text))) : line.substr(0, end));
    more = end < line.size();
    line.remove_prefix(more ? end + 1 : end);
  }
  return fields;
}

std::optional<double> number_in(std::string_view text) {
  double number = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

// A column of times: its index, and the number of nanoseconds in its unit. The unit is the end of the column's name, as
// in "compile_ms".
struct TimeColumn {
  std::size_t index = 0;
  double unit = 0.0;
};

class CsvReader {
 public:
  CsvReader(const Json& mapping, std::vector<std::string_view> columns)
      : mapping_(mapping), columns_(std::move(columns)), trials_(names_in(mapping)) {
    for (const std::string& name : trials_.names()) {
      Parameter& parameter = declared_.emplace_back();
      parameter.name = name;
      parameter.role = usual_role(name);
      for (const Json& value : array_member(member(mapping, "tune_params"), name.c_str()))
        parameter.values.push_back(value_from_json(value, name));
      const bool constant = parameter.values.size() == 1 && std::ranges::find(columns_, name) == columns_.end();
      parameters_.push_back(constant ? std::nullopt : std::optional(column_named(name)));
    }
    for (const Role& role : roles())
      if (const auto column = find_time_column(role)) times_.emplace(role.name, *column);
    if (!times_.contains("time") && !times_.contains("samples")) throw Malformed("no column holds a time");
    status_ = mapped_column("status");
    finished_at_ = mapped_column("finished_at");
    find_own_columns();
    find_metrics();
  }

  void add(std::string_view line) {
    std::deque<std::string> unquoted;
    const std::vector<std::string_view> fields = fields_in(line, unquoted);
    if (fields.size() != columns_.size())
      throw Malformed(fmt::format("{} fields under {} columns", fields.size(), columns_.size()));
    const auto finished_at = finished_at_ ? parse_timestamp(fields[*finished_at_]) : std::nullopt;
    trials_.add(values_of(fields), observation_of(fields), finished_at.value_or(TimePoint()));
    if (own_) figures_.push_back({{kOwnMember, own_figures_in(fields)}});
  }

  ResultSet take() {
    ResultSet results;
    results.info.kernel_name = text_or(mapping_, "kernel", "");
    results.info.device.name = text_or(mapping_, "device", "");
    results.info.parameters = declared_;
    results.trials = trials_.take();
    restore_winner(results, mapping_, figures_, {});
    if (!own_) rank_by_metric(results);
    return results;
  }

 private:
  // The columns of a metric: one for its value, and one for its uncertainty.
  struct MetricColumns {
    std::string name;
    std::string unit;
    std::size_t value;
    std::optional<std::size_t> uncertainty;
  };

  static std::vector<std::string> names_in(const Json& mapping) {
    std::vector<std::string> names;
    for (const auto& item : object_member(mapping, "tune_params").items()) names.push_back(item.key());
    return names;
  }

  std::size_t column_named(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found == columns_.end()) throw Malformed(fmt::format("there is no column {}", in_quotes(name)));
    return static_cast<std::size_t>(found - columns_.begin());
  }

  std::optional<std::size_t> mapped_column(const char* role) const {
    const Json* const columns = find_member(mapping_, "columns");
    const std::string name = columns == nullptr ? std::string() : text_or(*columns, role, "");
    return name.empty() ? std::nullopt : std::optional(column_named(name));
  }

  // Finds the columns of kOwnColumns, if the table has all these columns and the mapping lists objectives.
  void find_own_columns() {
    const auto is_there = [this](const char* name) { return std::ranges::count(columns_, name) > 0; };
    if (find_member(mapping_, kObjectives) == nullptr || !std::ranges::all_of(kOwnColumns, is_there)) return;
    own_.emplace();
    for (std::size_t i = 0; i < kOwnColumns.size(); ++i) (*own_)[i] = column_named(kOwnColumns[i]);
  }

  // Returns the fields of kOwnColumns in a line, by name. Empty fields are left out.
  Json own_figures_in(const std::vector<std::string_view>& fields) const {
    Json figures = Json::object();
    for (std::size_t i = 0; i < kOwnColumns.size(); ++i) {
      const std::string_view field = fields[(*own_)[i]];
      const std::optional<double> number = number_in(field);
      if (!field.empty()) figures[kOwnColumns[i]] = number ? Json(*number) : field == kNoValue ? Json() : Json(field);
    }
    return figures;
  }

  // Finds the columns of metrics, which are the columns for which the mapping gives a unit.
  void find_metrics() {
    const Json* const units = find_member(mapping_, "metrics");
    if (units == nullptr) return;
    for (const auto& item : object_member(mapping_, "metrics").items()) {
      const auto uncertainty = std::ranges::find(columns_, item.key() + kUncertainty);
      MetricColumns& metric = metrics_.emplace_back();
      metric = {item.key(), text_or(*units, item.key().c_str(), ""), column_named(item.key()), {}};
      if (uncertainty != columns_.end()) metric.uncertainty = static_cast<std::size_t>(uncertainty - columns_.begin());
    }
  }

  // Returns the metrics of a line. Empty fields are left out.
  std::vector<Metric> metrics_in(const std::vector<std::string_view>& fields) const {
    std::vector<Metric> metrics;
    for (const MetricColumns& column : metrics_) {
      const std::optional<double> value = number_in(fields[column.value]);
      if (!value) continue;
      metrics.push_back({column.name, *value, column.unit, {}});
      if (column.uncertainty) metrics.back().uncertainty = number_in(fields[*column.uncertainty]);
    }
    return metrics;
  }

  TimeColumn time_column(std::size_t index) const {
    const std::string_view name = columns_[index];
    const auto unit = nanoseconds_per(name.substr(name.rfind('_') + 1));
    if (!unit)
      throw Malformed(fmt::format("the column {} does not end in a unit of time, as in `time_ms`", in_quotes(name)));
    return {index, *unit};
  }

  // Finds the column of a role by the mapping, or else by its usual names.
  std::optional<TimeColumn> find_time_column(const Role& role) const {
    if (const Json* named = find_member(mapping_, "columns"); named != nullptr)
      if (const std::string name = text_or(*named, std::string(role.name).c_str(), ""); !name.empty())
        return time_column(column_named(name));
    for (const std::string_view word : role.words)
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t underscore = columns_[i].rfind('_');
        if (underscore != std::string_view::npos && columns_[i].substr(0, underscore) == word &&
            nanoseconds_per(columns_[i].substr(underscore + 1)))
          return time_column(i);
      }
    return std::nullopt;
  }

  // Returns the values of a line's configuration. For each parameter, it is the listed value that the parameter's field
  // names.
  std::vector<Value> values_of(const std::vector<std::string_view>& fields) const {
    std::vector<Value> values;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (!parameters_[p]) {
        values.push_back(declared_[p].values.front());
        continue;
      }
      const std::string_view field = fields[*parameters_[p]];
      const std::optional<double> number = number_in(field);
      const Value wanted = number ? Value(*number) : Value(std::string(field));
      const std::vector<Value>& listed = declared_[p].values;
      auto found = std::ranges::find(listed, wanted);
      if (found == listed.end())
        found = std::ranges::find_if(listed, [&](const Value& value) { return value.to_string() == field; });
      if (found == listed.end())
        throw Malformed(
            fmt::format("{} is not among the values of {}", in_quotes(field), in_quotes(declared_[p].name)));
      values.push_back(*found);
    }
    return values;
  }

  std::optional<Nanoseconds> time_in(const std::vector<std::string_view>& fields, std::string_view role) const {
    const auto column = times_.find(role);
    if (column == times_.end()) return std::nullopt;
    const auto number = number_in(fields[column->second.index]);
    return number ? std::optional(Nanoseconds(*number * column->second.unit)) : std::nullopt;
  }

  // Reads samples. A table holds either their times, or their differences from the time of the configuration.
  std::vector<Sample> samples_in(const std::vector<std::string_view>& fields, Nanoseconds time) const {
    std::vector<Sample> samples;
    for (const auto& [role, from] : {std::pair("samples", Nanoseconds()), std::pair("deltas", time)}) {
      const auto column = times_.find(role);
      if (column == times_.end()) continue;
      for (const std::string_view part : split(fields[column->second.index], ';'))
        if (const auto number = number_in(part)) samples.push_back({from + Nanoseconds(*number * column->second.unit)});
    }
    return samples;
  }

  Observation observation_of(const std::vector<std::string_view>& fields) const {
    Observation observation;
    const auto phase = [&](std::string_view role) { return time_in(fields, role).value_or(Nanoseconds()); };
    observation.phases = {phase("compile"), phase("check"), phase("measure"), phase("overhead")};
    std::optional<Nanoseconds> time = time_in(fields, "time");
    std::vector<Sample> samples = samples_in(fields, time.value_or(Nanoseconds()));
    if (!time && times_.contains("samples") && !samples.empty()) time = median_of(samples);
    observation.metrics = metrics_in(fields);
    if (status_) observation.status = parse_status(fields[*status_]).value_or(Status::runtime);
    if (observation.ok() && time) {
      set_times(observation, *time, std::move(samples));
    } else if (observation.ok()) {
      observation.status = Status::runtime;
      observation.message = "no time was recorded";
    }
    return observation;
  }

  const Json& mapping_;
  std::vector<std::string_view> columns_;
  RecordedTrials trials_;
  std::vector<Parameter> declared_;
  std::vector<std::optional<std::size_t>> parameters_;  // column of each parameter; nullopt for a constant parameter
  std::map<std::string_view, TimeColumn> times_;
  std::optional<std::size_t> status_;
  std::optional<std::size_t> finished_at_;
  std::vector<MetricColumns> metrics_;
  std::optional<std::array<std::size_t, kOwnColumns.size()>> own_;  // the columns of kOwnColumns
  std::vector<Json> figures_;                                       // for each line, the fields of kOwnColumns
};

// Reads the mapping of a table NAME.csv (perhaps compressed) from NAME.params.json. Such a file is needed for tables
// whose first line is not a mapping.
Result<std::string> mapping_beside(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::filesystem::path beside = file.parent_path() / (name.substr(0, name.find(".csv")) + ".params.json");
  Result<std::string> text = read_file(beside);
  if (text) return text;
  return Error(ErrorCode::not_found, "the table has no mapping that says what its columns are")
      .at(position_in(file, 1))
      .hint(fmt::format("a first line `# {{...}}` or {}: docs/formats/csv.md", beside.filename().string()));
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Result<void> check_limits(std::string_view text, const std::filesystem::path& file) {
  const auto separates = [](char c) { return c == ',' || c == ';' || c == '\n'; };
  if (static_cast<std::size_t>(std::ranges::count_if(text, separates)) >= kMaxValues)
    return Error(ErrorCode::parse_error, kTooManyValues).at(position_in(file));
  for (int number = 1; !text.empty(); ++number)
    if (next_line(text).size() > kMaxLineBytes)
      return Error(ErrorCode::parse_error, kLineTooLong).at(position_in(file, number));
  return {};
}

}  // namespace

bool looks_like_csv(std::string_view text, const std::filesystem::path& file) {
  return text.starts_with("# {") || file.filename().string().find(".csv") != std::string::npos;
}

Result<ResultSet> read_csv(std::string_view text, const std::filesystem::path& file) {
  WATTUNE_TRY(check_limits(text, file));
  std::string_view rest = text;
  std::string_view line = next_line(rest);
  int number = 1;
  std::string mapping_text;
  for (; line.starts_with('#'); line = next_line(rest), ++number)
    if (mapping_text.empty() && line.starts_with("# {")) mapping_text = line.substr(2);
  if (mapping_text.empty()) {
    WATTUNE_ASSIGN(mapping_text, mapping_beside(file));
  }
  WATTUNE_ASSIGN(const Document mapping, parse_document(mapping_text, file));
  return guard(position_in(file), [&] {
    std::deque<std::string> unquoted;
    CsvReader reader(mapping.head, fields_in(line, unquoted));
    while (!rest.empty()) {
      line = next_line(rest);
      ++number;
      if (line.empty()) continue;
      try {
        reader.add(line);
      } catch (const Malformed& malformed) {
        throw Malformed(fmt::format("line {}: {}", number, malformed.what()));
      }
    }
    return reader.take();
  });
}

}  // namespace wattune::store
