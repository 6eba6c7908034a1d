#include "tune/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "wattune/measure/arguments.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

namespace {

// Every launch of a run has an event until the run ends.
constexpr std::size_t kMostRepeats = 100'000;

}  // namespace

Result<LaunchPlan> LaunchPlan::compile(const KernelSpec& spec, const std::vector<LaunchStep>& steps,
                                       std::shared_ptr<const Names> names) {
  LaunchPlan plan;
  plan.names_ = std::move(names);
  for (const Argument& argument : spec.arguments) {
    Result<CompiledArgument> compiled = compile_argument(argument, plan.names_);
    if (!compiled) return std::move(compiled).error().with_context(fmt::format("argument `{}`", argument.name));
    plan.arguments_.push_back(*std::move(compiled));
    plan.argument_names_.push_back(argument.name);
  }
  for (const LaunchStep& step : steps) {
    WATTUNE_ASSIGN(Step compiled, compile_step(step, plan.names_));
    plan.steps_.push_back(std::move(compiled));
  }
  return plan;
}

Result<LaunchPlan::Step> LaunchPlan::compile_step(const LaunchStep& step, const std::shared_ptr<const Names>& names) {
  Step compiled{step.function, step.arguments, {}, {}, {}};
  WATTUNE_ASSIGN(compiled.geometry, GeometryPlan::compile(step.geometry, names));
  if (!step.condition.text.empty()) {
    WATTUNE_ASSIGN(compiled.condition, Formula<bool>::compile(step.condition, names));
  }
  if (!step.repeat.text.empty()) {
    WATTUNE_ASSIGN(compiled.repeat, SizeFormula::compile(step.repeat, names));
    if (compiled.repeat->fixed()) WATTUNE_TRY(repeats(compiled, Configuration()));
  }
  return compiled;
}

Result<LaunchPlan::CompiledArgument> LaunchPlan::compile_argument(const Argument& argument,
                                                                  const std::shared_ptr<const Names>& names) {
  if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(SizeFormula length, compile_positive(vector->length, names));
    return CompiledArgument(Vector{std::move(length), element_bytes(*vector)});
  }
  if (const auto* local = std::get_if<LocalArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(SizeFormula length, SizeFormula::compile(local->length, names));
    return CompiledArgument(Local{std::move(length), size_in_bytes(local->type)});
  }
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(Struct compiled, compile_struct({{{argument.name, *scalar}}}, names));
    return CompiledArgument(std::move(compiled));
  }
  WATTUNE_ASSIGN(Struct compiled, compile_struct(std::get<StructArgument>(argument.kind), names));
  return CompiledArgument(std::move(compiled));
}

Result<LaunchPlan::Struct> LaunchPlan::compile_struct(const StructArgument& argument,
                                                      const std::shared_ptr<const Names>& names) {
  Struct compiled{{}, layout_of(argument)};
  for (const StructField& field : argument.fields) {
    WATTUNE_ASSIGN(auto value, Formula<Value>::compile(field.scalar.value, names));
    const Scalar& scalar = compiled.fields.emplace_back(Scalar{std::move(value), field.scalar.type});
    if (scalar.value.fixed()) WATTUNE_TRY(evaluate(scalar, Configuration()));
  }
  return compiled;
}

bool LaunchPlan::has_fixed_length(std::size_t argument) const {
  const auto* vector = std::get_if<Vector>(&arguments_[argument]);
  return vector == nullptr || vector->length.fixed();
}

Result<Launch> LaunchPlan::evaluate(const Configuration& configuration) const {
  Launch launch;
  for (const Step& step : steps_) {
    WATTUNE_ASSIGN(const bool wanted, is_launched(step, configuration));
    if (!wanted) continue;
    WATTUNE_ASSIGN(const backend::Geometry3 geometry, step.geometry.evaluate(configuration));
    WATTUNE_ASSIGN(const std::size_t repeat, repeats(step, configuration));
    launch.steps.push_back({step.function, step.arguments, geometry, repeat});
  }
  if (launch.steps.empty())
    return Error(ErrorCode::invalid_argument, "nothing is launched: `when` holds for no launch");
  WATTUNE_ASSIGN(launch.arguments, arguments(configuration));
  return launch;
}

Result<std::vector<std::string>> LaunchPlan::functions(const Configuration& configuration) const {
  std::vector<std::string> functions;
  for (const Step& step : steps_) {
    WATTUNE_ASSIGN(const bool wanted, is_launched(step, configuration));
    if (wanted && std::ranges::count(functions, step.function) == 0) functions.push_back(step.function);
  }
  return functions;
}

Result<bool> LaunchPlan::is_launched(const Step& step, const Configuration& configuration) {
  return step.condition ? step.condition->evaluate(configuration) : Result<bool>(true);
}

Result<std::size_t> LaunchPlan::repeats(const Step& step, const Configuration& configuration) {
  if (!step.repeat) return std::size_t{1};
  WATTUNE_ASSIGN(const std::size_t repeat, step.repeat->evaluate(configuration));
  if (repeat >= 1 && repeat <= kMostRepeats) return repeat;
  const space::Expression& expression = step.repeat->expression();
  return Error(ErrorCode::out_of_range, fmt::format("a launch is repeated 1 to {} times, not {}", kMostRepeats, repeat))
      .at(expression.position())
      .about(expression.text());
}

Result<std::vector<PlannedArgument>> LaunchPlan::arguments(const Configuration& configuration) const {
  std::vector<PlannedArgument> planned;
  planned.reserve(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    Result<PlannedArgument> argument = evaluate(arguments_[i], configuration);
    if (!argument) return std::move(argument).error().with_context(fmt::format("argument `{}`", argument_names_[i]));
    planned.push_back(*std::move(argument));
  }
  return planned;
}

Result<PlannedArgument> LaunchPlan::evaluate(const CompiledArgument& argument, const Configuration& configuration) {
  if (const auto* vector = std::get_if<Vector>(&argument)) {
    WATTUNE_ASSIGN(const std::size_t length, positive(vector->length, configuration));
    WATTUNE_ASSIGN(const std::size_t bytes, multiply(length, vector->element_bytes));
    return PlannedArgument(PlannedBuffer{length, bytes});
  }
  if (const auto* local = std::get_if<Local>(&argument)) {
    WATTUNE_ASSIGN(const std::size_t length, local->length.evaluate(configuration));
    WATTUNE_ASSIGN(const std::size_t bytes, multiply(length, local->element_bytes));
    // Some configurations do not use it, but no device takes an argument of size 0.
    return PlannedArgument(backend::LocalBytes{std::max(bytes, local->element_bytes)});
  }
  const auto& structure = std::get<Struct>(argument);
  backend::ScalarBytes planned{std::vector<std::byte>(structure.layout.bytes)};
  for (std::size_t i = 0; i < structure.fields.size(); ++i) {
    WATTUNE_ASSIGN(const std::vector<std::byte> field, evaluate(structure.fields[i], configuration));
    std::ranges::copy(field, planned.bytes.begin() + static_cast<std::ptrdiff_t>(structure.layout.offsets[i]));
  }
  return PlannedArgument(std::move(planned));
}

Result<std::vector<std::byte>> LaunchPlan::evaluate(const Scalar& scalar, const Configuration& configuration) {
  const space::Expression& expression = scalar.value.expression();
  WATTUNE_ASSIGN(const Value value, scalar.value.evaluate(configuration));
  Result<std::vector<std::byte>> bytes = measure::to_bytes(value, scalar.type);
  if (!bytes) return std::move(bytes).error().at(expression.position()).about(expression.text());
  return bytes;
}

std::vector<backend::Macro> macros_of(const Configuration& configuration) {
  std::vector<backend::Macro> macros;
  macros.reserve(configuration.values().size());
  for (std::size_t i = 0; i < configuration.values().size(); ++i)
    macros.push_back({configuration.names()[i], configuration.values()[i].to_macro()});
  return macros;
}

Result<std::vector<std::string>> launched_functions(const KernelSpec& spec, const Configuration& configuration) {
  const auto names = std::make_shared<const Names>(spec.problem_size, spec.parameters);
  WATTUNE_ASSIGN(const LaunchPlan plan, LaunchPlan::compile(spec, launches_of(spec), names));
  return plan.functions(configuration);
}

std::size_t group_items(const PlannedStep& step) {
  return step.geometry.group_size[0] * step.geometry.group_size[1] * step.geometry.group_size[2];
}

std::size_t local_bytes(const Launch& launch, const PlannedStep& step) {
  std::size_t bytes = 0;
  for (const std::size_t argument : step.arguments)
    if (const auto* local = std::get_if<backend::LocalBytes>(&launch.arguments[argument])) bytes += local->bytes;
  return bytes;
}

namespace {

bool beyond(std::uint64_t size, std::uint64_t limit) { return limit != 0 && size > limit; }  // 0: unknown

std::string limit_exceeded(const Launch& launch, const PlannedStep& step, const DeviceInfo& device) {
  const std::array<std::size_t, 3>& group = step.geometry.group_size;
  for (std::size_t axis = 0; axis < group.size(); ++axis)
    if (beyond(group[axis], device.max_work_item_sizes[axis]))
      return fmt::format("a work-group of {} in {}, the device allows {}", group[axis], "xyz"[axis],
                         device.max_work_item_sizes[axis]);
  if (beyond(group_items(step), device.max_work_group_size))
    return fmt::format("a work-group of {} work-items, the device allows {}", group_items(step),
                       device.max_work_group_size);
  const std::size_t bytes = local_bytes(launch, step);
  if (beyond(bytes, device.local_memory_bytes))
    return fmt::format("{} bytes of local memory, the device has {}", bytes, device.local_memory_bytes);
  return {};
}

}  // namespace

std::string limit_exceeded(const Launch& launch, const DeviceInfo& device) {
  for (const PlannedArgument& argument : launch.arguments)
    if (const auto* buffer = std::get_if<PlannedBuffer>(&argument);
        buffer != nullptr && beyond(buffer->bytes, device.max_allocation_bytes))
      return fmt::format("a buffer of {} bytes, the device allows {}", buffer->bytes, device.max_allocation_bytes);
  for (const PlannedStep& step : launch.steps)
    if (std::string exceeded = limit_exceeded(launch, step, device); !exceeded.empty()) return exceeded;
  return {};
}

}  // namespace wattune::tune
