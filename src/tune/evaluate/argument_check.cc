#include "tune/evaluate/argument_check.h"

#include <fmt/format.h>

#include "backend/interface/c_type.h"
#include "tune/interface/argument_check.h"

namespace wattune::inline v0_1::tune {

namespace {

using backend::AddressSpace;
using backend::KernelParameter;

bool is_any(const KernelParameter& parameter, std::initializer_list<AddressSpace> spaces) {
  return !parameter.space || std::ranges::count(spaces, *parameter.space) > 0;
}

bool elements_fit(ElementType type, const KernelParameter& parameter) {
  return !parameter.element || backend::may_be_read_as(type, *parameter.element);
}

bool has_bytes(const KernelParameter& parameter, std::size_t bytes) { return parameter.bytes.value_or(bytes) == bytes; }

// True if the parameter may be an image, a texture or a surface. Such types are 64 bits wide, or known only to the
// compiler.
bool is_object(const KernelParameter& parameter) {
  const bool pointer = parameter.type.find('*') != std::string::npos;
  return !pointer && elements_fit(ElementType::uint64, parameter) && has_bytes(parameter, sizeof(std::uint64_t));
}

bool fits(const VectorArgument& vector, const PlannedArgument&, const KernelParameter& parameter) {
  if (vector.image) return is_object(parameter);
  return is_any(parameter, {AddressSpace::global, AddressSpace::constant}) && has_bytes(parameter, sizeof(void*)) &&
         (!vector.fields.empty() || elements_fit(vector.type, parameter));
}

bool fits(const ScalarArgument& scalar, const PlannedArgument&, const KernelParameter& parameter) {
  return is_any(parameter, {AddressSpace::by_value}) && has_bytes(parameter, size_in_bytes(scalar.type)) &&
         elements_fit(scalar.type, parameter);
}

bool fits(const StructArgument&, const PlannedArgument& planned, const KernelParameter& parameter) {
  return is_any(parameter, {AddressSpace::by_value}) &&
         has_bytes(parameter, std::get<backend::ScalarBytes>(planned).bytes.size());
}

bool fits(const LocalArgument& local, const PlannedArgument&, const KernelParameter& parameter) {
  return is_any(parameter, {AddressSpace::local}) && elements_fit(local.type, parameter);
}

bool fits(const NullArgument&, const PlannedArgument&, const KernelParameter& parameter) {
  return is_any(parameter, {AddressSpace::global, AddressSpace::constant}) && has_bytes(parameter, sizeof(void*));
}

bool fits(const SamplerArgument&, const PlannedArgument&, const KernelParameter& parameter) {
  return !parameter.element && parameter.type.find('*') == std::string::npos;
}

// Returns the type of an argument in the spec's notation.
std::string type_in_spec(const VectorArgument& vector) {
  if (vector.image) return "image";
  if (!vector.fields.empty()) return "struct*";
  const std::string width = vector.vector_width > 1 ? std::to_string(vector.vector_width) : std::string();
  return fmt::format("{}{}*", c_name(vector.type), width);
}
std::string type_in_spec(const ScalarArgument& scalar) { return std::string(c_name(scalar.type)); }
std::string type_in_spec(const StructArgument& structure) {
  if (structure.is_vector) return fmt::format("{}{}", c_name(structure.fields[0].scalar.type), structure.fields.size());
  return fmt::format("struct of {} bytes", layout_of(structure).bytes);
}
std::string type_in_spec(const NullArgument&) { return "null"; }
std::string type_in_spec(const SamplerArgument&) { return "sampler"; }
std::string type_in_spec(const LocalArgument& local) { return fmt::format("local {}", c_name(local.type)); }

// Returns a text such as " (float* x, int n)". Returns an empty text unless the types of all parameters are known.
std::string parameter_list(std::span<const KernelParameter> parameters) {
  std::string list;
  for (const KernelParameter& parameter : parameters) {
    if (parameter.type.empty()) return {};
    list += (list.empty() ? "" : ", ") + backend::describe(parameter);
  }
  return list.empty() ? list : fmt::format(" ({})", list);
}

// Checks the arguments of a step against the parameters of a kernel or a compiled function.
Result<void> check(const std::string& name, std::size_t count, std::span<const KernelParameter> parameters,
                   const KernelSpec& spec, const Launch& launch, const PlannedStep& step) {
  const std::vector<std::size_t> listed = parameters_of(spec, step.arguments);
  if (count != listed.size())
    return Error(ErrorCode::mismatch, fmt::format("kernel `{}` takes {} arguments{}, the spec lists {}", name, count,
                                                  parameter_list(parameters), listed.size()))
        .at(spec.arguments.empty() ? SourcePosition{spec.file.string()} : spec.arguments[0].position);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Argument& argument = spec.arguments[listed[i]];
    const PlannedArgument& planned = launch.arguments[listed[i]];
    const auto is_right = [&](const auto& kind) { return fits(kind, planned, parameters[i]); };
    if (std::visit(is_right, argument.kind)) continue;
    return Error(ErrorCode::mismatch,
                 fmt::format("argument {} of kernel `{}` is declared `{}`, the spec says `{}`", i + 1, name,
                             backend::describe(parameters[i]),
                             std::visit([](const auto& kind) { return type_in_spec(kind); }, argument.kind)))
        .at(argument.position)
        .about(argument.name);
  }
  return {};
}

// Checks the arguments that a step passes in symbols of constant memory, whose sizes the compiler reported.
Result<void> check_constants(const KernelSpec& spec, const Launch& launch, const PlannedStep& step,
                             const std::map<std::string, std::size_t>& symbols) {
  for (const std::size_t i : step.arguments) {
    const Argument& argument = spec.arguments[i];
    const auto* vector = std::get_if<VectorArgument>(&argument.kind);
    if (vector == nullptr || vector->place != BufferPlace::constant) continue;
    const auto symbol = symbols.find(argument.name);
    if (symbol == symbols.end())
      return Error(ErrorCode::not_found, fmt::format("no constant symbol `{}` in the program", argument.name))
          .at(argument.position)
          .hint("declare it extern \"C\", or it has a longer name");
    const std::size_t bytes = std::get<PlannedBuffer>(launch.arguments[i]).bytes;
    if (bytes > symbol->second)
      return Error(ErrorCode::mismatch, fmt::format("constant symbol `{}` has {} bytes, the argument {}", argument.name,
                                                    symbol->second, bytes))
          .at(argument.position);
  }
  return {};
}

}  // namespace

Result<void> check_arguments(const backend::Kernel& kernel, const KernelSpec& spec, const Launch& launch,
                             const PlannedStep& step) {
  return check(kernel.name(), kernel.argument_count(), kernel.parameters(), spec, launch, step);
}

Result<void> check_arguments(const KernelSpec& spec, const Configuration& configuration, const std::string& function,
                             const backend::CompileReport& compiled) {
  const auto names = std::make_shared<const Names>(spec.problem_size, spec.parameters);
  WATTUNE_ASSIGN(const LaunchPlan plan, LaunchPlan::compile(spec, launches_of(spec), names));
  WATTUNE_ASSIGN(const Launch launch, plan.evaluate(configuration));
  for (const PlannedStep& step : launch.steps) {
    if (step.function != function || !compiled.parameters) continue;
    WATTUNE_TRY(check(function, compiled.parameters->size(), *compiled.parameters, spec, launch, step));
    WATTUNE_TRY(check_constants(spec, launch, step, compiled.constants));
  }
  return {};
}

}  // namespace wattune::tune
