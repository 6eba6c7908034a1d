#include "tune/interface/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "measure/interface/arguments.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

namespace {

// Converts a number to the type of a scalar argument. Errors show the expression from which the number was computed.
Result<std::vector<std::byte>> to_bytes(const Formula<Value>& formula, ElementType type,
                                        const Configuration& configuration) {
  const space::Expression& expression = formula.expression();
  WATTUNE_ASSIGN(const Value value, formula.evaluate(configuration));
  Result<std::vector<std::byte>> bytes = measure::to_bytes(value, type);
  if (!bytes) return std::move(bytes).error().at(expression.position()).about(expression.text());
  return bytes;
}

// Returns the layout of an image, without its sizes. Returns nullopt if the argument is not an image.
std::optional<backend::PixelLayout> pixels_of(const VectorArgument& argument) {
  if (!argument.image) return std::nullopt;
  const PixelImage& image = *argument.image;
  return backend::PixelLayout{.type = image.type,
                              .channel = argument.type,
                              .channels = argument.vector_width,
                              .order = image.order,
                              .normalized_channels = image.normalized_channels,
                              .written = argument.access != ArgumentAccess::read_only,
                              .sampling = image.sampling};
}

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
    WATTUNE_ASSIGN(StepPlan compiled, StepPlan::compile(step, plan.names_));
    for (std::vector<std::size_t>& swap : compiled.all_swaps()) plan.swaps_.push_back(std::move(swap));
    plan.steps_.push_back(std::move(compiled));
  }
  return plan;
}

Result<LaunchPlan::CompiledArgument> LaunchPlan::compile_argument(const Argument& argument,
                                                                  const std::shared_ptr<const Names>& names) {
  if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(Vector compiled, compile_vector(*vector, names));
    return CompiledArgument(std::move(compiled));
  }
  if (const auto* local = std::get_if<LocalArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(SizeFormula length, SizeFormula::compile(local->length, names));
    return CompiledArgument(Local{std::move(length), size_in_bytes(local->type)});
  }
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(Struct compiled, compile_struct({{{argument.name, *scalar}}}, names));
    return CompiledArgument(std::move(compiled));
  }
  if (const auto* sampler = std::get_if<SamplerArgument>(&argument.kind)) return CompiledArgument(sampler->sampling);
  const auto* structure = std::get_if<StructArgument>(&argument.kind);
  if (structure == nullptr) return CompiledArgument(Null{});
  WATTUNE_ASSIGN(Struct compiled, compile_struct(*structure, names));
  return CompiledArgument(std::move(compiled));
}

Result<LaunchPlan::Vector> LaunchPlan::compile_vector(const VectorArgument& argument,
                                                      const std::shared_ptr<const Names>& names) {
  Vector compiled{{}, element_bytes(argument), pixels_of(argument)};
  if (!argument.image) {
    WATTUNE_ASSIGN(SizeFormula length, compile_positive(argument.length, names));
    compiled.sizes.push_back(std::move(length));
    return compiled;
  }
  for (const ExpressionText& text : argument.image->sizes) {
    if (text.text.empty()) continue;
    WATTUNE_ASSIGN(SizeFormula size, compile_positive(text, names));
    compiled.sizes.push_back(std::move(size));
  }
  return compiled;
}

Result<LaunchPlan::Struct> LaunchPlan::compile_struct(const StructArgument& argument,
                                                      const std::shared_ptr<const Names>& names) {
  Struct compiled{{}, layout_of(argument)};
  for (const StructField& field : argument.fields) {
    WATTUNE_ASSIGN(auto value, Formula<Value>::compile(field.scalar.value, names));
    const Scalar& scalar = compiled.fields.emplace_back(Scalar{std::move(value), field.scalar.type});
    if (scalar.value.fixed()) WATTUNE_TRY(to_bytes(scalar.value, scalar.type, Configuration()));
  }
  return compiled;
}

bool LaunchPlan::has_fixed_length(std::size_t argument) const {
  const auto* vector = std::get_if<Vector>(&arguments_[argument]);
  return vector == nullptr || std::ranges::all_of(vector->sizes, [](const SizeFormula& size) { return size.fixed(); });
}

Result<Launch> LaunchPlan::evaluate(const Configuration& configuration) const {
  Launch launch;
  StepWalk walk{.launch = {}, .holders = swaps_.empty() ? Holders() : own_holders(arguments_.size())};
  walk.launch = [&](const StepPlan& step, const Configuration& values, std::size_t repeat) -> Result<void> {
    WATTUNE_ASSIGN(launch.steps.emplace_back(), evaluate(step, values, repeat, walk.holders));
    return {};
  };
  for (const StepPlan& step : steps_) WATTUNE_TRY(step.visit(configuration, walk));
  if (launch.steps.empty())
    return Error(ErrorCode::invalid_argument, "nothing is launched: `when` holds for no launch");
  WATTUNE_ASSIGN(launch.arguments, arguments(configuration));
  WATTUNE_TRY(check_swaps(launch.arguments));
  launch.holders = std::move(walk.holders);
  return launch;
}

Result<PlannedStep> LaunchPlan::evaluate(const StepPlan& step, const Configuration& values, std::size_t repeat,
                                         const Holders& holders) const {
  PlannedStep planned{step.function(), step.arguments(), {}, repeat};
  WATTUNE_ASSIGN(planned.geometry, step.geometry().evaluate(values));
  if (!holders.empty())
    for (std::size_t& argument : planned.arguments) argument = holders[argument];
  for (const StepPlan::ScalarValue& each : step.values()) {
    const ElementType type = std::get<Struct>(arguments_[each.argument]).fields.front().type;
    WATTUNE_ASSIGN(auto bytes, to_bytes(each.value, type, values));
    planned.values.push_back({each.argument, {std::move(bytes)}});
  }
  return planned;
}

Result<void> LaunchPlan::check_swaps(const std::vector<PlannedArgument>& planned) const {
  for (const std::vector<std::size_t>& swap : swaps_) {
    const auto& first = std::get<PlannedBuffer>(planned[swap.front()]);
    for (const std::size_t argument : swap) {
      const auto& other = std::get<PlannedBuffer>(planned[argument]);
      const std::string names = fmt::format("`{}` and `{}`", argument_names_[swap.front()], argument_names_[argument]);
      if (other.length != first.length)
        return Error(ErrorCode::invalid_argument,
                     fmt::format("{} change places, but have {} and {} elements", names, first.length, other.length));
      if (other.pixels != first.pixels)
        return Error(ErrorCode::invalid_argument, names + " change places, but are images of different kinds");
    }
  }
  return {};
}

Result<std::vector<std::string>> LaunchPlan::functions(const Configuration& configuration) const {
  std::vector<std::string> functions;
  const auto add = [&](const StepPlan& step, const Configuration&, std::size_t) -> Result<void> {
    if (std::ranges::count(functions, step.function()) == 0) functions.push_back(step.function());
    return {};
  };
  StepWalk walk{.launch = add, .holders = own_holders(arguments_.size())};
  for (const StepPlan& step : steps_) WATTUNE_TRY(step.visit(configuration, walk));
  return functions;
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
  if (const auto* vector = std::get_if<Vector>(&argument)) return evaluate(*vector, configuration);
  if (const auto* local = std::get_if<Local>(&argument)) {
    WATTUNE_ASSIGN(const std::size_t length, local->length.evaluate(configuration));
    WATTUNE_ASSIGN(const std::size_t bytes, multiply(length, local->element_bytes));
    // A local argument that a configuration does not use still needs a size, because no device takes a size of 0.
    return PlannedArgument(backend::LocalBytes{std::max(bytes, local->element_bytes)});
  }
  if (std::holds_alternative<Null>(argument)) return PlannedArgument(PlannedNull{});
  if (const auto* sampling = std::get_if<Sampling>(&argument)) return PlannedArgument(*sampling);
  return evaluate(std::get<Struct>(argument), configuration);
}

Result<PlannedArgument> LaunchPlan::evaluate(const Vector& vector, const Configuration& configuration) {
  PlannedBuffer planned{1, 0, vector.pixels};
  for (std::size_t i = 0; i < vector.sizes.size(); ++i) {
    WATTUNE_ASSIGN(const std::size_t size, positive_size(vector.sizes[i], configuration));
    if (planned.pixels) planned.pixels->sizes[i] = size;
    WATTUNE_ASSIGN(planned.length, multiply(planned.length, size));
  }
  const Result<std::size_t> bytes = multiply(planned.length, vector.element_bytes);
  if (!bytes) return Error(bytes.error()).at(vector.sizes.front().expression().position());
  planned.bytes = *bytes;
  return PlannedArgument(planned);
}

Result<PlannedArgument> LaunchPlan::evaluate(const Struct& structure, const Configuration& configuration) {
  backend::ScalarBytes planned{std::vector<std::byte>(structure.layout.bytes)};
  for (std::size_t i = 0; i < structure.fields.size(); ++i) {
    const Scalar& scalar = structure.fields[i];
    WATTUNE_ASSIGN(const std::vector<std::byte> field, to_bytes(scalar.value, scalar.type, configuration));
    std::ranges::copy(field, planned.bytes.begin() + static_cast<std::ptrdiff_t>(structure.layout.offsets[i]));
  }
  return PlannedArgument(std::move(planned));
}

bool shares_code(const KernelSpec& spec) {
  return !std::ranges::all_of(spec.parameters, [](const Parameter& each) { return each.role == ParameterRole::code; });
}

std::vector<backend::Macro> macros_of(const std::vector<Parameter>& parameters, const Configuration& configuration) {
  std::vector<backend::Macro> macros;
  macros.reserve(configuration.values().size());
  for (std::size_t i = 0; i < configuration.values().size(); ++i) {
    const std::string& name = configuration.names()[i];
    const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
    if (parameter != parameters.end() && parameter->role != ParameterRole::code) continue;
    macros.push_back({name, configuration.values()[i].to_macro()});
  }
  return macros;
}

Result<std::vector<std::string>> launched_functions(const KernelSpec& spec, const Configuration& configuration) {
  const auto names = std::make_shared<const Names>(spec.problem_size, spec.parameters);
  WATTUNE_ASSIGN(const LaunchPlan plan, LaunchPlan::compile(spec, launches_of(spec), names));
  return plan.functions(configuration);
}

std::size_t holder_of(const Launch& launch, std::size_t argument) {
  return launch.holders.empty() ? argument : launch.holders[argument];
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

bool beyond(std::uint64_t size, std::optional<std::uint64_t> limit) { return limit && size > *limit; }

std::string limit_exceeded(const Launch& launch, const PlannedStep& step, const DeviceInfo& device) {
  const std::array<std::size_t, 3>& group = step.geometry.group_size;
  for (std::size_t axis = 0; axis < group.size(); ++axis)
    if (const auto& most = device.max_work_item_sizes; most && group[axis] > (*most)[axis])
      return fmt::format("a work-group of {} in {}, the device allows {}", group[axis], "xyz"[axis], (*most)[axis]);
  if (beyond(group_items(step), device.max_work_group_size))
    return fmt::format("a work-group of {} work-items, the device allows {}", group_items(step),
                       *device.max_work_group_size);
  const std::size_t bytes = local_bytes(launch, step);
  if (beyond(bytes, device.local_memory_bytes))
    return fmt::format("{} bytes of local memory, the device has {}", bytes, *device.local_memory_bytes);
  return {};
}

}  // namespace

std::string limit_exceeded(const Launch& launch, const DeviceInfo& device) {
  for (const PlannedArgument& argument : launch.arguments)
    if (const auto* buffer = std::get_if<PlannedBuffer>(&argument);
        buffer != nullptr && beyond(buffer->bytes, device.max_allocation_bytes))
      return fmt::format("a buffer of {} bytes, the device allows {}", buffer->bytes, *device.max_allocation_bytes);
  for (const PlannedStep& step : launch.steps)
    if (std::string exceeded = limit_exceeded(launch, step, device); !exceeded.empty()) return exceeded;
  return {};
}

}  // namespace wattune::tune
