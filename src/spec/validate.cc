#include "spec/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/interface/suggest.h"
#include "spec/names.h"

namespace wattune::inline v0_1::spec {

namespace {

NameScope all_names(const KernelSpec& spec) {
  NameScope scope({});
  for (const Parameter& parameter : spec.parameters) scope.add(parameter.name);
  for (const auto& [name, value] : extents_by_name(spec)) scope.add(name);
  return scope;
}

constexpr const char* kOwnName = "rename it: objectives, metrics and constraints would read the one for the other";

bool is_figure(const std::string& name) { return std::ranges::count(figure_names(), name) > 0; }

Result<void> check_parameter_names(const KernelSpec& spec) {
  const space::Expression::Constants extents = extents_by_name(spec);
  std::set<std::string_view> seen;
  for (const Parameter& parameter : spec.parameters) {
    const auto refuse = [&](std::string message) {
      return Error(ErrorCode::invalid_argument, std::move(message)).at(parameter.position).about(parameter.name);
    };
    if (!is_identifier(parameter.name))
      return refuse("a parameter's name must be an identifier, because it becomes a macro of the kernel");
    if (!seen.insert(parameter.name).second) return refuse("a second parameter of this name");
    if (extents.contains(parameter.name)) return refuse("a parameter and an extent of the problem of the same name");
    if (is_figure(parameter.name)) return refuse("a parameter has the name of a metric").hint(kOwnName);
  }
  for (const NamedSize& size : spec.problem_size)
    if (is_figure(size.name))
      return Error(ErrorCode::invalid_argument, "an extent of the problem has the name of a metric")
          .at({spec.file.string()})
          .about(size.name)
          .hint(kOwnName);
  return {};
}

// Checks that parameters set on the board have positive numbers as values, and that no two set the same thing.
Result<void> check_roles(const KernelSpec& spec) {
  std::map<ParameterRole, std::string_view> seen;
  for (const Parameter& parameter : spec.parameters) {
    if (!is_set_on_board(parameter.role)) continue;
    const auto refuse = [&](std::string message, const std::string& about) {
      return Error(ErrorCode::invalid_argument, std::move(message)).at(parameter.position).about(about);
    };
    const bool power = parameter.role == ParameterRole::power_limit;
    for (const Value& value : parameter.values)
      if (!value.is_number() || value.kind() == Value::Kind::boolean || value.as_real() <= 0)
        return refuse(fmt::format("the values of `{}`, a {}, must be positive numbers of {}", parameter.name,
                                  to_string(parameter.role), power ? "W" : "MHz"),
                      value.to_string());
    const auto [first, is_new] = seen.emplace(parameter.role, parameter.name);
    if (!is_new)
      return refuse(fmt::format("a second {} beside `{}`", to_string(parameter.role), first->second), parameter.name);
  }
  return {};
}

Result<void> check_constraint(const Constraint& constraint, const NameScope& scope) {
  Result<void> known = scope.check({constraint.expression, constraint.position}, "constraint");
  if (known || std::ranges::count(resource_names(), known.error().offending_text()) == 0) return known;
  return std::move(known).error().hint("conditions on what a compiled kernel takes belong in `resource_constraints`");
}

Result<void> check_geometry(const Geometry& geometry, const NameScope& scope, const std::string& what) {
  const auto check = [&](const ExpressionText& size) {
    return size.text.empty() ? Result<void>() : scope.check(size, what);
  };
  for (std::size_t i = 0; i < geometry.sizes.size(); ++i) {
    WATTUNE_TRY(check(geometry.sizes[i]));
    WATTUNE_TRY(check(geometry.work_group[i]));
    WATTUNE_TRY(check(geometry.cluster[i]));
    for (const ExpressionText& divisor : geometry.divisors[i]) WATTUNE_TRY(scope.check(divisor, what));
  }
  return {};
}

// Checks that all launches of a function have arguments of the same types as its first launch.
Result<void> check_calls(const KernelSpec& spec) {
  if (!is_host_language(spec.source.language)) return {};
  const std::vector<FunctionCall> calls = launched_source(spec).calls;
  for (const LaunchStep& launch : single_launches_of(spec)) {
    const FunctionCall& first = *std::ranges::find(calls, launch.function, &FunctionCall::function);
    const FunctionCall call = with_calls({.language = spec.source.language}, spec, {launch}).calls.front();
    if (std::ranges::equal(call.arguments, first.arguments, {}, &CallArgument::type, &CallArgument::type)) continue;
    return Error(ErrorCode::invalid_argument, "a function is launched with arguments of other types than before")
        .at({spec.file.string()})
        .about(launch.function);
  }
  return {};
}

// Returns the name of a feature of the argument that functions on the host do not support. Returns an empty name if
// there is no such feature.
std::string_view device_only(const Argument& argument) {
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  if (vector != nullptr && vector->image) return "an image";
  return std::holds_alternative<LocalArgument>(argument.kind) ? "local memory" : "";
}

Result<void> check_host_arguments(const KernelSpec& spec) {
  if (!is_host_language(spec.source.language)) return {};
  for (const Argument& argument : spec.arguments)
    if (const std::string_view what = device_only(argument); !what.empty())
      return Error(ErrorCode::invalid_argument,
                   fmt::format("{} as an argument of a function in {}", what, to_string(spec.source.language)))
          .at(argument.position)
          .about(argument.name)
          .hint("declare an array in the function, or give it a buffer");
  return {};
}

// Rejects samplers in a spec without an OpenCL kernel. In other languages, textures define their own sampling.
Result<void> check_samplers(const KernelSpec& spec) {
  for (const Argument& argument : spec.arguments)
    if (std::holds_alternative<SamplerArgument>(argument.kind))
      return Error(ErrorCode::invalid_argument, "a sampler in a spec without an OpenCL kernel")
          .at(argument.position)
          .about(argument.name)
          .hint("the image has the keys `address`, `filter` and `coordinates`");
  return {};
}

// Rejects features of CUDA in a spec whose kernel is written in another language.
Result<void> check_language(const KernelSpec& spec) {
  if (spec.source.language == Language::cuda && spec.alternatives.empty()) return check_samplers(spec);
  const auto refuse = [&](const SourcePosition& position, std::string message) {
    return Error(ErrorCode::invalid_argument, std::move(message)).at(position).hint("only CUDA kernels have them");
  };
  for (const LaunchStep& step : single_launches_of(spec)) {
    for (const ExpressionText& size : step.geometry.cluster)
      if (!size.text.empty()) return refuse(size.position, "clusters in the launch of an OpenCL kernel");
    if (step.geometry.cooperative) return refuse({spec.file.string()}, "a cooperative launch of an OpenCL kernel");
  }
  for (const Argument& argument : spec.arguments) {
    const auto* vector = std::get_if<VectorArgument>(&argument.kind);
    if (vector != nullptr && vector->place == BufferPlace::constant)
      return refuse(argument.position,
                    fmt::format("a constant symbol of a kernel in {}", to_string(spec.source.language)));
  }
  return {};
}

// Adds the name of the index of a step that is repeated. The expressions of this step and of the steps inside it may
// read the index, except for the step's own `repeat`.
Result<void> add_index(const LaunchStep& step, NameScope& scope) {
  if (step.index.empty()) return {};
  const auto refuse = [&](std::string message) {
    return Error(ErrorCode::invalid_argument, std::move(message)).at(step.repeat.position).about(step.index);
  };
  if (!is_identifier(step.index)) return refuse("the `index` of a launch must be an identifier");
  if (scope.contains(step.index)) return refuse("the `index` of a launch has the name of something else");
  scope.add(step.index);
  return {};
}

Result<void> check_step(const KernelSpec& spec, const LaunchStep& step, NameScope scope) {
  if (!step.repeat.text.empty()) WATTUNE_TRY(scope.check(step.repeat, "`repeat` of the launch"));
  WATTUNE_TRY(add_index(step, scope));
  if (!step.condition.text.empty()) WATTUNE_TRY(scope.check(step.condition, "`when` of the launch"));
  for (const LaunchValue& each : step.values)
    WATTUNE_TRY(
        scope.check_value(each.value, fmt::format("the launch's value of `{}`", spec.arguments[each.argument].name)));
  for (const LaunchStep& inner : step.group) WATTUNE_TRY(check_step(spec, inner, scope));
  return check_geometry(step.geometry, scope, "the launch sizes");
}

Result<void> check_fill(const Fill& fill, NameScope scope, const std::string& what) {
  const auto* expression = std::get_if<FillExpression>(&fill);
  if (expression == nullptr) return {};
  scope.add("i");
  return scope.check_value(expression->expression, what);
}

std::string key_of(std::string_view key, const std::string& argument) {
  return fmt::format("`{}` of argument `{}`", key, argument);
}

std::string field_of(const std::string& field, const std::string& argument) {
  return fmt::format("field `{}` of argument `{}`", field, argument);
}

Result<void> check_vector(const VectorArgument& vector, const std::string& name, const NameScope& scope) {
  if (!vector.image) WATTUNE_TRY(scope.check(vector.length, key_of("length", name)));
  if (vector.image)
    for (const ExpressionText& size : vector.image->sizes)
      if (!size.text.empty()) WATTUNE_TRY(scope.check(size, key_of("size", name)));
  if (!vector.compared_length.text.empty())
    WATTUNE_TRY(scope.check(vector.compared_length, key_of("compare_length", name)));
  WATTUNE_TRY(check_fill(vector.fill, scope, key_of("fill", name)));
  for (const BufferField& field : vector.fields) WATTUNE_TRY(check_fill(field.fill, scope, field_of(field.name, name)));
  return {};
}

Result<void> check_argument(const Argument& argument, const NameScope& scope) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument.kind))
    return scope.check_value(scalar->value, key_of("value", argument.name));
  if (const auto* structure = std::get_if<StructArgument>(&argument.kind)) {
    for (const StructField& field : structure->fields)
      WATTUNE_TRY(scope.check_value(field.scalar.value, field_of(field.name, argument.name)));
    return {};
  }
  if (const auto* local = std::get_if<LocalArgument>(&argument.kind))
    return scope.check(local->length, key_of("length", argument.name));
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  return vector == nullptr ? Result<void>() : check_vector(*vector, argument.name, scope);
}

bool has_index(const std::vector<LaunchStep>& steps, const std::string& name) {
  return std::ranges::any_of(steps,
                             [&](const LaunchStep& step) { return step.index == name || has_index(step.group, name); });
}

// Checks an argument. Its value cannot read the index of a series of launches, since an argument has one value for all
// launches. Instead, a launch may give the argument a value in each repetition.
Result<void> check_argument(const Argument& argument, const NameScope& scope, const KernelSpec& spec) {
  Result<void> known = check_argument(argument, scope);
  if (known || !has_index(spec.steps, known.error().offending_text())) return known;
  return std::move(known).error().hint("`values` of a launch may read its `index`");
}

}  // namespace

Result<void> replace_extents(KernelSpec& spec, const std::vector<NamedSize>& sizes) {
  for (const NamedSize& size : sizes) {
    const auto extent = std::find_if(spec.problem_size.begin(), spec.problem_size.end(),
                                     [&](const NamedSize& candidate) { return candidate.name == size.name; });
    if (extent == spec.problem_size.end()) {
      std::vector<std::string> names;
      names.reserve(spec.problem_size.size());
      for (const NamedSize& candidate : spec.problem_size) names.push_back(candidate.name);
      return Error(ErrorCode::not_found, "the problem has no such size")
          .about(size.name)
          .hint(suggest(size.name, names));
    }
    if (size.value < 1)
      return Error(ErrorCode::invalid_argument, "a size of the problem must be positive")
          .about(fmt::format("{}={}", size.name, size.value));
    extent->value = size.value;
  }
  return {};
}

Result<void> validate_space(KernelSpec& spec) {
  WATTUNE_TRY(check_parameter_names(spec));
  WATTUNE_TRY(check_roles(spec));
  const NameScope scope = all_names(spec);
  const space::Expression::Constants extents = extents_by_name(spec);
  for (Constraint& constraint : spec.constraints) {
    WATTUNE_TRY(check_constraint(constraint, scope));
    constraint.expression = replace_names(constraint.expression, [&](std::string_view name) {
      const auto extent = extents.find(name);
      return extent == extents.end() ? std::nullopt : std::optional(extent->second.to_string());
    });
  }
  return {};
}

Result<void> validate_launch(const KernelSpec& spec) {
  WATTUNE_TRY(check_language(spec));
  WATTUNE_TRY(check_host_arguments(spec));
  WATTUNE_TRY(check_calls(spec));
  const NameScope scope = all_names(spec);
  for (const LaunchStep& step : launches_of(spec)) WATTUNE_TRY(check_step(spec, step, scope));
  std::set<std::string_view> seen;
  for (const Argument& argument : spec.arguments) {
    if (argument.name.empty())
      return Error(ErrorCode::invalid_argument, "an argument needs a name").at(argument.position);
    if (!seen.insert(argument.name).second)
      return Error(ErrorCode::invalid_argument, "a second argument of this name")
          .at(argument.position)
          .about(argument.name);
    WATTUNE_TRY(check_argument(argument, scope, spec));
  }
  const auto* kernel = std::get_if<ReferenceKernel>(&spec.reference);
  return kernel == nullptr ? Result<void>() : check_geometry(kernel->geometry, scope, "the reference kernel's sizes");
}

}  // namespace wattune::spec
