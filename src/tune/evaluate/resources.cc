#include "tune/evaluate/resources.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::tune {

namespace {

// Returns the values that a constraint read, as a text for a message, such as "registers = 80, block = 256".
std::string values_read(const space::Expression& expression, const Configuration& known) {
  std::string text;
  for (const std::string& name : expression.names())
    if (const Value* value = known.find(name))
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name,
                          value->is_number() ? fmt::format("{:.12g}", value->as_real()) : value->to_string());
  return text;
}

// Returns the smaller of two values. If only one value exists, returns that value.
template <typename T>
std::optional<T> least(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? std::min(a, b) : std::max(a, b);
}

}  // namespace

backend::KernelResources worst_of(const backend::KernelResources& a, const backend::KernelResources& b) {
  return {.registers = std::max(a.registers, b.registers),
          .private_bytes = std::max(a.private_bytes, b.private_bytes),
          .spill_bytes = std::max(a.spill_bytes, b.spill_bytes),
          .static_local_bytes = std::max(a.static_local_bytes, b.static_local_bytes),
          .dynamic_local_bytes = std::max(a.dynamic_local_bytes, b.dynamic_local_bytes),
          .binary_bytes = std::max(a.binary_bytes, b.binary_bytes),
          .occupancy = least(a.occupancy, b.occupancy)};
}

std::vector<Metric> metrics_of(const backend::KernelResources& resources) {
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, const auto& value, const char* unit) {
    if (value) metrics.push_back({name, static_cast<double>(*value), unit});
  };
  add("registers", resources.registers, "");
  add("private_memory", resources.private_bytes, "B");
  add("spills", resources.spill_bytes, "B");
  add("static_local_memory", resources.static_local_bytes, "B");
  add("dynamic_local_memory", resources.dynamic_local_bytes, "B");
  add("binary_size", resources.binary_bytes, "B");
  add("occupancy", resources.occupancy, "");
  return metrics;
}

Configuration with_metrics(const Configuration& configuration, const std::vector<Metric>& metrics) {
  std::vector<std::string> names = configuration.names();
  std::vector<Value> values = configuration.values();
  for (const Metric& metric : metrics) {
    names.push_back(metric.name);
    values.emplace_back(metric.value);
  }
  return {configuration.id(), std::make_shared<const std::vector<std::string>>(std::move(names)), std::move(values)};
}

Result<void> check_figure_names(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters)
    if (std::ranges::count(figure_names(), parameter.name) > 0)
      return Error(ErrorCode::invalid_argument, "a parameter has the name of a metric")
          .at(parameter.position)
          .about(parameter.name)
          .hint("rename it");
  return {};
}

Result<ResourceConstraints> ResourceConstraints::compile(const KernelSpec& spec,
                                                         const std::vector<Parameter>& parameters) {
  if (!spec.resource_constraints.empty()) WATTUNE_TRY(check_figure_names(parameters));
  std::vector<Parameter> readable = parameters;
  for (const std::string& name : resource_names()) readable.push_back({name, {}, {}, {}});
  const auto names = std::make_shared<const Names>(spec.problem_size, readable);
  ResourceConstraints constraints;
  for (const ExpressionText& text : spec.resource_constraints) {
    WATTUNE_ASSIGN(Formula<bool> formula, Formula<bool>::compile(text, names));
    constraints.formulas_.push_back(std::move(formula));
  }
  return constraints;
}

Result<std::string> ResourceConstraints::broken(const std::vector<Metric>& resources,
                                                const Configuration& configuration) const {
  if (formulas_.empty()) return std::string();
  const Configuration known = with_metrics(configuration, resources);
  for (const Formula<bool>& formula : formulas_) {
    if (!formula.has_all_values(known)) continue;
    WATTUNE_ASSIGN(const bool holds, formula.evaluate(known));
    if (holds) continue;
    return fmt::format("`{}` does not hold: {}", formula.expression().text(), values_read(formula.expression(), known));
  }
  return std::string();
}

}  // namespace wattune::tune
