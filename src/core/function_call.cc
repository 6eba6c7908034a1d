// Finds the C types with which functions on the host are called.
#include <fmt/format.h>

#include <algorithm>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1 {

namespace {

// Returns the C type of an element. Half and bfloat16 have no type that every compiler knows, and are passed as their
// bits.
std::string_view c_type_of(ElementType type) {
  switch (type) {
    case ElementType::int8: return "signed char";
    case ElementType::uint8: return "unsigned char";
    case ElementType::int16: return "short";
    case ElementType::int32: return "int";
    case ElementType::uint32: return "unsigned";
    case ElementType::int64: return "long";
    case ElementType::uint64: return "unsigned long";
    case ElementType::uint16:
    case ElementType::float16:
    case ElementType::bfloat16: return "unsigned short";
    case ElementType::float32: return "float";
    case ElementType::float64: return "double";
  }
  return "void";
}

// Tells whether C and C++ have only one type for this element.
bool has_one_c_type(ElementType type) {
  return type == ElementType::int16 || type == ElementType::int32 || type == ElementType::uint32 ||
         type == ElementType::float32 || type == ElementType::float64;
}

std::string type_of(const VectorArgument& argument) {
  const bool plain = argument.fields.empty() && argument.vector_width == 1 && has_one_c_type(argument.type);
  return plain ? fmt::format("{}*", c_type_of(argument.type)) : "void*";
}

std::string type_of(const ScalarArgument& argument) { return std::string(c_type_of(argument.type)); }

std::string type_of(const StructArgument& argument) {
  std::string fields;
  for (const StructField& field : argument.fields)
    fields += fmt::format("{} field_{}; ", c_type_of(field.scalar.type), &field - argument.fields.data());
  return fmt::format("struct {{ {}}}", fields);
}

std::string type_of(const LocalArgument&) { return "void*"; }
std::string type_of(const NullArgument&) { return "void*"; }
std::string type_of(const SamplerArgument&) { return "void*"; }

FunctionCall call_of(const KernelSpec& spec, const LaunchStep& launch) {
  FunctionCall call{launch.function, {}};
  for (const std::size_t position : launch.arguments) {
    const Argument& argument = spec.arguments[position];
    call.arguments.push_back(
        {argument.name, std::visit([](const auto& kind) { return type_of(kind); }, argument.kind)});
  }
  return call;
}

}  // namespace

KernelSource with_calls(KernelSource source, const KernelSpec& spec, const std::vector<LaunchStep>& launches) {
  if (!is_host_language(source.language)) return source;
  for (const LaunchStep& launch : launches)
    if (std::ranges::count(source.calls, launch.function, &FunctionCall::function) == 0)
      source.calls.push_back(call_of(spec, launch));
  return source;
}

}  // namespace wattune
