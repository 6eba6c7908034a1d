#include "cli/inspect/space_report.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/program/text.h"
#include "core/interface/suggest.h"
#include "report/interface/text.h"
#include "space/interface/expression.h"

namespace wattune::cli {

namespace {

using space::SearchSpace;

std::string assignments(const std::vector<std::pair<std::string, Value>>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value.to_string());
  return text;
}

const char* at_most(const SearchSpace& space) { return space.exact() ? "" : "at most "; }

std::string percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

double share_valid(const SearchSpace& space) { return to_double(space.count()) / space.cartesian_count(); }

// Returns the product of the numbers of values of all parameters; nullopt beyond 128 bits.
std::optional<Uint128> exact_cartesian(const SearchSpace& space) {
  Uint128 product = 1;
  for (const Parameter& parameter : space.parameters()) {
    const Uint128 factor = parameter.values.size();
    if (product > ~Uint128{0} / factor) return std::nullopt;
    product *= factor;
  }
  return product;
}

std::string cartesian_text(const SearchSpace& space) {
  const auto exact = exact_cartesian(space);
  return exact ? group_digits(*exact) : fmt::format("{:.4g}", space.cartesian_count());
}

std::string values_text(const Parameter& parameter) {
  std::string text;
  for (const Value& value : parameter.values) text += (text.empty() ? "" : " ") + value.to_string();
  return text;
}

std::string counts_text(const SearchSpace& space) {
  if (space.parameters().empty() && space.count() == 1) return "1 configuration: the spec has no parameters\n";
  const space::BuildReport& built = space.report();
  std::string text = fmt::format("{} of {} configurations are valid ({}{})\n", size_text(space), cartesian_text(space),
                                 at_most(space), percent(share_valid(space)));
  text += fmt::format("built in {}, {} nodes, {}\n", format_time(built.build_time), group_digits(built.nodes),
                      format_bytes(static_cast<double>(built.bytes)));
  if (!built.fallback.empty()) text += built.fallback + "\n";
  return text;
}

// Lists the parameters, with the share of valid configurations that have each value, so that rare values stand out.
std::string parameters_text(const SearchSpace& space, std::size_t width) {
  if (space.parameters().empty()) return {};
  const auto is_code = [](const Parameter& parameter) { return parameter.role == ParameterRole::code; };
  const bool roles = !std::ranges::all_of(space.parameters(), is_code);
  std::vector<std::string> titles = {"parameter", "values",
                                     fmt::format("% of {} configurations", space.exact() ? "valid" : "these")};
  if (roles) titles.emplace_back("role");
  auto table = report::TextTable::of_text(titles);
  std::size_t name_width = 0;
  for (const Parameter& parameter : space.parameters())
    name_width = std::max(name_width, report::width_of(parameter.name));
  const std::size_t column = width > name_width + 24 ? (width - name_width - 4) / 2 : 10;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    std::string shares;
    for (const Uint128 count : space.count_per_value(i)) {
      const double share = 100.0 * to_double(count) / to_double(space.count());
      shares += fmt::format("{}{:.{}g}", shares.empty() ? "" : " ", share, share < 99.5 ? 2 : 3);
    }
    std::vector<std::string> row = {parameter.name, report::cut(values_text(parameter), column),
                                    report::cut(shares, column)};
    if (roles) row.emplace_back(to_string(parameter.role));
    table.add_row(std::move(row));
  }
  return "\n" + table.to_string();
}

std::string constraints_text(const std::vector<ConstraintEffect>& effects, std::size_t width) {
  if (effects.empty()) return {};
  auto table = report::TextTable::of_text({"removes", "constraint"});
  for (const ConstraintEffect& effect : effects) {
    table.add_row({effect.share_left ? percent(1.0 - *effect.share_left) : "?",
                   report::cut(effect.constraint.expression, std::max<std::size_t>(width, 30) - 12)});
  }
  return "\n" + table.to_string();
}

std::string sample_text(const SpaceReport& report) {
  const ConfigurationId standard = report.space.default_configuration();
  std::string text = fmt::format("\ndefault   {}\n", report.space.configuration(standard).to_string());
  if (const std::string note = default_note(report.space); !note.empty()) text += fmt::format("          {}\n", note);
  for (const ConfigurationId id : report.sample) {
    text += fmt::format("sample    {}\n", report.space.configuration(id).to_string());
  }
  return text;
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = assignments(explanation.values) + "\n";
  if (explanation.id) return text + fmt::format("is valid: configuration {}\n", group_digits(*explanation.id));
  text += "is invalid:\n";
  for (const Explanation::Broken& broken : explanation.broken) {
    const std::string position = to_string(broken.violation.position);
    text += fmt::format("  {}{}{}  (with {})\n", position, position.empty() ? "" : ": ", broken.violation.constraint,
                        assignments(broken.values));
  }
  return text;
}

Json values_json(const std::vector<std::pair<std::string, Value>>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = to_json(value);
  return json;
}

Json explanation_json(const Explanation& explanation) {
  Json json = {
      {"configuration", values_json(explanation.values)}, {"valid", explanation.id.has_value()}, {"id", nullptr}};
  if (explanation.id) json["id"] = to_json(*explanation.id);
  json["broken"] = Json::array();
  for (const Explanation::Broken& broken : explanation.broken) {
    json["broken"].push_back({{"constraint", broken.violation.constraint},
                              {"file", broken.violation.position.file},
                              {"line", broken.violation.position.line.value_or(0)},
                              {"column", broken.violation.position.column.value_or(0)},
                              {"values", values_json(broken.values)}});
  }
  return json;
}

Json parameters_json(const SearchSpace& space) {
  Json parameters = Json::array();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    Json values = Json::array();
    for (const Value& value : parameter.values) values.push_back(to_json(value));
    Json counts = Json::array();
    for (const Uint128 count : space.count_per_value(i)) counts.push_back(to_json(count));
    parameters.push_back({{"name", parameter.name},
                          {"values", values},
                          {"role", to_string(parameter.role)},
                          {"default", parameter.default_value ? to_json(*parameter.default_value) : Json(nullptr)},
                          {"valid_per_value", counts}});
  }
  return parameters;
}

Json constraints_json(const std::vector<ConstraintEffect>& effects) {
  Json constraints = Json::array();
  for (const ConstraintEffect& effect : effects) {
    constraints.push_back({{"expression", effect.constraint.expression},
                           {"file", effect.constraint.position.file},
                           {"line", effect.constraint.position.line.value_or(0)},
                           {"column", effect.constraint.position.column.value_or(0)},
                           {"removes", effect.share_left ? Json(1.0 - *effect.share_left) : Json(nullptr)}});
  }
  return constraints;
}

// True if the text stands for the value. Booleans are False and True in Python, false and true in TOML, 0 and 1 in the
// kernel.
bool is_written(const Value& value, const std::string& text) {
  if (value.to_string() == text) return true;
  const bool is_boolean = value.kind() == Value::Kind::boolean;
  return is_boolean && (text == value.to_macro() || text == (value == Value(true) ? "true" : "false"));
}

// Returns the index of the value that is written as `text`. Fails with not_found.
Result<std::uint16_t> value_index(const Parameter& parameter, const std::string& text, const std::string& option) {
  const auto found =
      std::ranges::find_if(parameter.values, [&](const Value& value) { return is_written(value, text); });
  if (found != parameter.values.end()) return static_cast<std::uint16_t>(found - parameter.values.begin());
  std::vector<std::string> written;
  for (const Value& value : parameter.values) written.push_back(value.to_string());
  return Error(ErrorCode::not_found, fmt::format("{}: {} has no such value", option, parameter.name))
      .about(text)
      .hint(suggest(text, written));
}

Result<void> assign(const std::vector<Parameter>& parameters, const std::string& text, const std::string& option,
                    space::ValueIndices& indices) {
  const auto assignment = parse_assignment(text);
  if (!assignment) return Error(assignment.error()).with_context(option);
  const auto& [name, value] = *assignment;
  const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
  if (parameter == parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& each : parameters) names.push_back(each.name);
    return Error(ErrorCode::not_found, option + ": no such parameter").about(name).hint(suggest(name, names));
  }
  WATTUNE_ASSIGN(indices[static_cast<std::size_t>(parameter - parameters.begin())],
                 value_index(*parameter, value, option));
  return {};
}

std::vector<std::pair<std::string, Value>> named_values(const std::vector<Parameter>& parameters,
                                                        const space::ValueIndices& indices) {
  std::vector<std::pair<std::string, Value>> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values.emplace_back(parameters[i].name, parameters[i].values[indices[i]]);
  }
  return values;
}

// Describes a broken constraint with the values that it reads.
Explanation::Broken describe(const space::Violation& violation,
                             const std::vector<std::pair<std::string, Value>>& values) {
  Explanation::Broken broken{.violation = violation, .values = {}};
  const auto expression = space::Expression::parse(violation.constraint);
  for (const auto& value : values) {
    if (!expression || std::ranges::count(expression->names(), value.first) > 0) broken.values.push_back(value);
  }
  return broken;
}

}  // namespace

std::string size_text(const SearchSpace& space) { return at_most(space) + group_digits(space.count()); }

std::vector<ConstraintEffect> constraint_effects(const KernelSpec& spec) {
  const space::BuildOptions cheap = {.state_budget = 20'000, .materialise_limit = 0};
  std::vector<ConstraintEffect> effects;
  for (const Constraint& constraint : spec.constraints) {
    const auto alone = SearchSpace::build(spec.parameters, {constraint}, {}, cheap);
    const bool counted = alone && alone->exact();
    effects.push_back({constraint, counted ? std::optional(share_valid(*alone)) : std::nullopt});
  }
  return effects;
}

std::string default_note(const SearchSpace& space) {
  space::ValueIndices standard;
  space.unrank(space.default_configuration(), standard);
  space::ValueIndices wanted(standard.size());
  bool replaced = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    if (!parameter.default_value) continue;
    const auto found = std::ranges::find(parameter.values, *parameter.default_value);
    wanted[i] = static_cast<std::uint16_t>(found - parameter.values.begin());
    replaced |= wanted[i] != standard[i];
  }
  const std::vector<space::Violation> broken = replaced ? space.violations(wanted) : std::vector<space::Violation>();
  if (broken.empty()) return {};
  return fmt::format("the spec's default breaks `{}`; the nearest valid configuration takes its place",
                     broken.front().constraint);
}

void add_configuration(CLI::App& app, const std::string& name, std::string& text, const std::string& description) {
  app.add_option(name, text, description)->type_name("NAME=VALUE,...")->join(',');
}

Result<space::ValueIndices> parse_configuration(const SearchSpace& space, const std::string& text,
                                                const std::string& option) {
  space::ValueIndices indices;
  space.unrank(space.default_configuration(), indices);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    WATTUNE_TRY(assign(space.parameters(), trimmed(text.substr(begin, end - begin)), option, indices));
    begin = end + 1;
  }
  return indices;
}

Result<Configuration> named_configuration(const space::SearchSpace& space, const std::string& text,
                                          const std::string& option) {
  WATTUNE_ASSIGN(const space::ValueIndices indices, parse_configuration(space, text, option));
  const std::vector<space::Violation> broken = space.violations(indices);
  if (broken.empty()) return space.configuration(space.rank(indices));
  return Error(ErrorCode::invalid_argument, option + " breaks a constraint")
      .at(broken.front().position)
      .about(broken.front().constraint);
}

Result<Explanation> explain(const SearchSpace& space, const std::string& text) {
  WATTUNE_ASSIGN(const space::ValueIndices indices, parse_configuration(space, text, "--explain"));
  Explanation explanation{.values = named_values(space.parameters(), indices), .id = {}, .broken = {}};
  for (const space::Violation& violation : space.violations(indices)) {
    explanation.broken.push_back(describe(violation, explanation.values));
  }
  if (explanation.broken.empty()) explanation.id = space.rank(indices);
  return explanation;
}

std::string space_text(const SpaceReport& report, std::size_t width) {
  if (report.explanation) return explanation_text(*report.explanation);
  return counts_text(report.space) + parameters_text(report.space, width) + constraints_text(report.effects, width) +
         sample_text(report);
}

std::string space_json(const SpaceReport& report) {
  const SearchSpace& space = report.space;
  const space::BuildReport& built = space.report();
  const auto cartesian = exact_cartesian(space);
  Json sample = Json::array();
  for (const ConfigurationId id : report.sample) sample.push_back(to_json(space.configuration(id)));
  return dump({{"name", report.spec.name},
               {"valid", to_json(space.count())},
               {"cartesian", cartesian ? to_json(*cartesian) : Json(space.cartesian_count())},
               {"fraction", share_valid(space)},
               {"exact", space.exact()},
               {"build_ns", std::llround(built.build_time.value())},
               {"bytes", built.bytes},
               {"nodes", built.nodes},
               {"edges", built.edges},
               {"states", built.states},
               {"order", built.order},
               {"fallback", built.fallback},
               {"content_hash", space.content_hash()},
               {"parameters", parameters_json(space)},
               {"constraints", constraints_json(report.effects)},
               {"default", to_json(space.configuration(space.default_configuration()))},
               {"sample", sample},
               {"explanation", report.explanation ? explanation_json(*report.explanation) : Json(nullptr)}});
}

}  // namespace wattune::cli
