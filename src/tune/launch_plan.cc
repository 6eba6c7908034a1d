#include "tune/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "wattune/measure/arguments.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

namespace {

using Size = Formula<std::size_t>;

Result<std::size_t> multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return Error(ErrorCode::out_of_range, fmt::format("{} * {} is larger than a size can be", a, b));
  return product;
}

Result<std::size_t> positive(const Size& formula, const Configuration& configuration) {
  WATTUNE_ASSIGN(const std::size_t size, formula.evaluate(configuration));
  if (size == 0)
    return Error(ErrorCode::invalid_argument, "a size of 0")
        .at(formula.expression().position())
        .about(formula.expression().text());
  return size;
}

Result<std::size_t> positive_or_1(const std::optional<Size>& formula, const Configuration& configuration) {
  return formula ? positive(*formula, configuration) : Result<std::size_t>(1);
}

Result<Size> compile_positive(const ExpressionText& text, const std::shared_ptr<const Names>& names) {
  WATTUNE_ASSIGN(Size formula, Size::compile(text, names));
  if (formula.fixed()) WATTUNE_TRY(positive(formula, Configuration()));
  return formula;
}

Result<std::optional<Size>> compile_optional(const ExpressionText& text, const std::shared_ptr<const Names>& names) {
  if (text.text.empty()) return std::optional<Size>();
  WATTUNE_ASSIGN(Size formula, compile_positive(text, names));
  return std::optional<Size>(std::move(formula));
}

std::size_t product(const std::array<std::size_t, 3>& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

}  // namespace

Result<LaunchPlan> LaunchPlan::compile(const KernelSpec& spec, const Geometry& geometry,
                                       std::shared_ptr<const Names> names) {
  LaunchPlan plan;
  plan.names_ = std::move(names);
  plan.convention_ = geometry.convention;
  for (std::size_t axis = 0; axis < plan.dimensions_.size(); ++axis) {
    WATTUNE_ASSIGN(plan.dimensions_[axis], compile_dimension(geometry, axis, plan.names_));
    WATTUNE_ASSIGN(plan.cluster_[axis], compile_optional(geometry.cluster[axis], plan.names_));
  }
  plan.cooperative_ = geometry.cooperative;
  for (const Argument& argument : spec.arguments) {
    Result<CompiledArgument> compiled = compile_argument(argument, plan.names_);
    if (!compiled) return std::move(compiled).error().with_context(fmt::format("argument `{}`", argument.name));
    plan.arguments_.push_back(*std::move(compiled));
    plan.argument_names_.push_back(argument.name);
  }
  if (plan.has_fixed_geometry()) WATTUNE_TRY(plan.geometry(Configuration()));
  return plan;
}

Result<LaunchPlan::Dimension> LaunchPlan::compile_dimension(const Geometry& geometry, std::size_t axis,
                                                            const std::shared_ptr<const Names>& names) {
  Dimension dimension;
  WATTUNE_ASSIGN(dimension.size, compile_optional(geometry.sizes[axis], names));
  WATTUNE_ASSIGN(dimension.work_group, compile_optional(geometry.work_group[axis], names));
  for (const ExpressionText& divisor : geometry.divisors[axis]) {
    WATTUNE_ASSIGN(Size formula, compile_positive(divisor, names));
    dimension.divisors.push_back(std::move(formula));
  }
  return dimension;
}

Result<LaunchPlan::CompiledArgument> LaunchPlan::compile_argument(const Argument& argument,
                                                                  const std::shared_ptr<const Names>& names) {
  if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(Size length, compile_positive(vector->length, names));
    return CompiledArgument(Vector{std::move(length), size_in_bytes(vector->type) * vector->vector_width});
  }
  if (const auto* local = std::get_if<LocalArgument>(&argument.kind)) {
    WATTUNE_ASSIGN(Size length, Size::compile(local->length, names));
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

bool LaunchPlan::has_fixed_geometry() const {
  const auto fixed = [](const std::optional<Size>& size) { return !size || size->fixed(); };
  return std::all_of(cluster_.begin(), cluster_.end(), fixed) &&
         std::all_of(dimensions_.begin(), dimensions_.end(), [&](const Dimension& dimension) {
           return fixed(dimension.size) && fixed(dimension.work_group) &&
                  std::all_of(dimension.divisors.begin(), dimension.divisors.end(),
                              [](const Size& d) { return d.fixed(); });
         });
}

Result<Launch> LaunchPlan::evaluate(const Configuration& configuration) const {
  Launch launch;
  WATTUNE_ASSIGN(launch.geometry, geometry(configuration));
  WATTUNE_ASSIGN(launch.arguments, arguments(configuration));
  return launch;
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

Result<backend::Geometry3> LaunchPlan::geometry(const Configuration& configuration) const {
  backend::Geometry3 geometry;
  for (std::size_t axis = 0; axis < dimensions_.size(); ++axis) {
    const Dimension& dimension = dimensions_[axis];
    WATTUNE_ASSIGN(geometry.group_size[axis], positive_or_1(dimension.work_group, configuration));
    WATTUNE_ASSIGN(geometry.groups[axis], groups(dimension, geometry.group_size[axis], configuration));
    WATTUNE_ASSIGN(geometry.cluster[axis], positive_or_1(cluster_[axis], configuration));
  }
  geometry.cooperative = cooperative_;
  return geometry;
}

Result<std::size_t> LaunchPlan::groups(const Dimension& dimension, std::size_t group_size,
                                       const Configuration& configuration) const {
  WATTUNE_ASSIGN(const std::size_t size, positive_or_1(dimension.size, configuration));
  switch (convention_) {
    case GeometryConvention::cuda: return size;
    case GeometryConvention::opencl:
      if (size % group_size == 0) return size / group_size;
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the global size {} is not a multiple of the work-group's {}", size, group_size))
          .at(dimension.size ? dimension.size->expression().position() : SourcePosition{});
    case GeometryConvention::divided: break;
  }
  std::size_t divisor = 1;
  for (const Size& factor : dimension.divisors) {
    WATTUNE_ASSIGN(const std::size_t value, positive(factor, configuration));
    WATTUNE_ASSIGN(divisor, multiply(divisor, value));
  }
  return size / divisor + (size % divisor != 0 ? 1 : 0);
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

std::string limit_exceeded(const Launch& launch, const DeviceInfo& device) {
  const auto beyond = [](std::uint64_t size, std::uint64_t limit) { return limit != 0 && size > limit; };  // 0: unknown
  const std::array<std::size_t, 3>& group = launch.geometry.group_size;
  for (std::size_t axis = 0; axis < group.size(); ++axis)
    if (beyond(group[axis], device.max_work_item_sizes[axis]))
      return fmt::format("a work-group of {} in {}, the device allows {}", group[axis], "xyz"[axis],
                         device.max_work_item_sizes[axis]);
  if (beyond(product(group), device.max_work_group_size))
    return fmt::format("a work-group of {} work-items, the device allows {}", product(group),
                       device.max_work_group_size);
  std::uint64_t local_bytes = 0;
  for (const PlannedArgument& argument : launch.arguments) {
    if (const auto* local = std::get_if<backend::LocalBytes>(&argument)) local_bytes += local->bytes;
    const auto* buffer = std::get_if<PlannedBuffer>(&argument);
    if (buffer != nullptr && beyond(buffer->bytes, device.max_allocation_bytes))
      return fmt::format("a buffer of {} bytes, the device allows {}", buffer->bytes, device.max_allocation_bytes);
  }
  if (beyond(local_bytes, device.local_memory_bytes))
    return fmt::format("{} bytes of local memory, the device has {}", local_bytes, device.local_memory_bytes);
  return {};
}

}  // namespace wattune::tune
