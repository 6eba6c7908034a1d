#include "tune/argument_check.h"

#include <fmt/format.h>

#include "backend/c_type.h"

namespace wattune::tune {

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

// The objects of images, textures and surfaces have types that only the compiler tells apart, or are 64 bits.
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

// As the spec has it.
std::string type_in_spec(const VectorArgument& vector) {
  if (vector.image) return "image";
  if (!vector.fields.empty()) return "struct*";
  const std::string width = vector.vector_width > 1 ? std::to_string(vector.vector_width) : std::string();
  return fmt::format("{}{}*", c_name(vector.type), width);
}
std::string type_in_spec(const ScalarArgument& scalar) { return std::string(c_name(scalar.type)); }
std::string type_in_spec(const StructArgument& structure) {
  return fmt::format("struct of {} bytes", layout_of(structure).bytes);
}
std::string type_in_spec(const NullArgument&) { return "null"; }
std::string type_in_spec(const SamplerArgument&) { return "sampler"; }
std::string type_in_spec(const LocalArgument& local) { return fmt::format("local {}", c_name(local.type)); }

// "(float* x, int n)", where the types of all are known.
std::string parameter_list(std::span<const KernelParameter> parameters) {
  std::string list;
  for (const KernelParameter& parameter : parameters) {
    if (parameter.type.empty()) return {};
    list += (list.empty() ? "" : ", ") + backend::describe(parameter);
  }
  return list.empty() ? list : fmt::format(" ({})", list);
}

}  // namespace

Result<void> check_arguments(const backend::Kernel& kernel, const KernelSpec& spec, const Launch& launch,
                             const PlannedStep& step) {
  const std::vector<std::size_t> listed = parameters_of(spec, step.arguments);
  const std::span<const KernelParameter> parameters = kernel.parameters();
  if (kernel.argument_count() != listed.size())
    return Error(ErrorCode::mismatch, fmt::format("kernel `{}` takes {} arguments{}, the spec lists {}", kernel.name(),
                                                  kernel.argument_count(), parameter_list(parameters), listed.size()))
        .at(spec.arguments.empty() ? SourcePosition{spec.file.string()} : spec.arguments[0].position);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Argument& argument = spec.arguments[listed[i]];
    const PlannedArgument& planned = launch.arguments[listed[i]];
    const auto is_right = [&](const auto& kind) { return fits(kind, planned, parameters[i]); };
    if (std::visit(is_right, argument.kind)) continue;
    return Error(ErrorCode::mismatch,
                 fmt::format("argument {} of kernel `{}` is declared `{}`, the spec says `{}`", i + 1, kernel.name(),
                             backend::describe(parameters[i]),
                             std::visit([](const auto& kind) { return type_in_spec(kind); }, argument.kind)))
        .at(argument.position)
        .about(argument.name);
  }
  return {};
}

}  // namespace wattune::tune
