// Writes a KernelSpec as TOML. Reading the text gives the same spec.
#include <fmt/format.h>

#include <algorithm>

#include "spec/time_units.h"
#include "spec/toml_text.h"
#include "spec/write_arguments.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

std::string list_of_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(toml_string(text));
  return toml_list(quoted);
}

// Returns the unit of the time that functions return; nullptr if there is none, or none that a spec can name.
const TimeUnit* unit_of(const KernelSource& source) {
  const auto found =
      std::ranges::find_if(kTimeUnits, [&](const TimeUnit& unit) { return source.returned_unit == unit.length; });
  return found == kTimeUnits.end() ? nullptr : &*found;
}

std::string kernel_section(const KernelSpec& spec) {
  const KernelSource& source = spec.source;
  TomlTable out;
  out.add_text("file", source.file.string());
  out.add_text("function", source.function);
  out.add_text("language", to_string(source.language));
  if (!source.options.empty()) out.add("options", list_of_strings(source.options));
  if (source.compiler == Compiler::nvcc) out.add_text("compiler", "nvcc");
  if (!source.host_compiler.empty()) out.add_text("compiler", source.host_compiler);
  if (const TimeUnit* const unit = unit_of(source)) out.add_text("returned_time", unit->name);
  if (source.parameter_style == ParameterStyle::constants) out.add_text("parameters_as", "constants");
  std::string arguments;
  for (const Argument& argument : spec.arguments) arguments += fmt::format("  {},\n", argument_toml(argument));
  out.add("arguments", fmt::format("[\n{}]", arguments));
  return out.as_section("kernel");
}

std::string problem_section(const KernelSpec& spec) {
  TomlTable out;
  for (const NamedSize& size : spec.problem_size) out.add(size.name, std::to_string(size.value));
  return out.as_section("problem");
}

Result<std::string> parameter_toml(const KernelSpec& spec, const Parameter& parameter) {
  TomlTable out;
  std::vector<std::string> values;
  for (const Value& value : parameter.values) {
    WATTUNE_ASSIGN(values.emplace_back(), toml_value(value));
  }
  out.add("values", toml_list(values));
  if (parameter.default_value) {
    WATTUNE_ASSIGN(std::string standard, toml_value(*parameter.default_value));
    out.add("default", std::move(standard));
  }
  out.add_text("role", to_string(parameter.role));
  if (const auto style = spec.source.own_styles.find(parameter.name); style != spec.source.own_styles.end())
    out.add_text("as", style->second == ParameterStyle::constants ? "constant" : "macro");
  return out.in_line();
}

Result<std::string> parameters_section(const KernelSpec& spec) {
  TomlTable out;
  for (const Parameter& parameter : spec.parameters) {
    WATTUNE_ASSIGN(std::string text, parameter_toml(spec, parameter));
    out.add(parameter.name, std::move(text));
  }
  return out.as_section("parameters");
}

// Writes the objectives. The leading objective comes first in the file.
void write_objectives(const std::vector<Objective>& objectives, TomlTable& out) {
  if (objectives.empty()) return;
  const bool leader = objectives.front().maximize;
  for (const bool maximize : {leader, !leader}) {
    std::vector<std::string> metrics;
    for (const Objective& each : objectives)
      if (each.maximize == maximize) metrics.push_back(each.metric);
    if (!metrics.empty()) out.add(maximize ? "maximize" : "minimize", list_of_strings(metrics));
  }
}

std::string search_section(const KernelSpec& spec) {
  TomlTable out;
  std::vector<std::string> constraints;
  for (const Constraint& constraint : spec.constraints) constraints.push_back(constraint.expression);
  if (!constraints.empty()) out.add("constraints", list_of_strings(constraints));
  std::vector<std::string> on_resources;
  for (const ExpressionText& each : spec.resource_constraints) on_resources.push_back(each.text);
  if (!on_resources.empty()) out.add("resource_constraints", list_of_strings(on_resources));
  out.add_text("strategy", spec.strategy);
  if (spec.budget.evaluations) out.add("evaluations", std::to_string(*spec.budget.evaluations));
  if (spec.budget.seconds) out.add("seconds", format_real(*spec.budget.seconds));
  if (spec.budget.fraction) out.add("fraction", format_real(*spec.budget.fraction));
  write_objectives(spec.objectives, out);
  return out.as_section("search");
}

std::string metrics_section(const KernelSpec& spec) {
  TomlTable out;
  for (const MetricDefinition& metric : spec.metrics) out.add(metric.name, toml_string(metric.expression));
  return out.as_section("metrics");
}

std::string reference_section(const KernelSpec& spec) {
  const auto* data = std::get_if<ReferenceData>(&spec.reference);
  if (data == nullptr) return {};
  TomlTable outputs;
  for (const auto& [name, file] : data->outputs) outputs.add(name, toml_string(file.string()));
  TomlTable out;
  out.add("outputs", outputs.in_line());
  if (spec.tolerance.absolute) out.add("absolute", format_real(*spec.tolerance.absolute));
  if (spec.tolerance.relative) out.add("relative", format_real(*spec.tolerance.relative));
  return out.as_section("reference");
}

}  // namespace

// Writes a spec. The keys of the whole file come before the first section, since TOML requires that.
Result<std::string> write_toml(const KernelSpec& spec) {
  if (std::holds_alternative<ReferenceKernel>(spec.reference) ||
      std::holds_alternative<ReferenceFunction>(spec.reference))
    return Error(ErrorCode::invalid_argument, "only data are written as a reference");
  const auto* data = std::get_if<ReferenceData>(&spec.reference);
  if (data != nullptr && !data->arrays.empty())
    return Error(ErrorCode::invalid_argument, "a reference in memory is not written; save its data as files");
  if (spec.source.returned_unit && unit_of(spec.source) == nullptr)
    return Error(ErrorCode::invalid_argument, "no spec can say the unit of the times that the function returns");
  WATTUNE_ASSIGN(const std::string parameters, parameters_section(spec));
  TomlTable head;
  head.add_text("name", spec.name);
  if (!is_host_language(spec.source.language) || !spec.steps.empty()) head.add("launch", launch_toml(spec));
  return head.in_lines() + kernel_section(spec) + problem_section(spec) + parameters + search_section(spec) +
         metrics_section(spec) + reference_section(spec);
}

}  // namespace wattune::spec
