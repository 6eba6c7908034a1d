#include "wattune/core/kernel_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace wattune {

namespace {

struct TypeTraits {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeTraits, 12> kTypes{{{ElementType::int8, "int8", 1},
                                             {ElementType::uint8, "uint8", 1},
                                             {ElementType::int16, "int16", 2},
                                             {ElementType::uint16, "uint16", 2},
                                             {ElementType::int32, "int32", 4},
                                             {ElementType::uint32, "uint32", 4},
                                             {ElementType::int64, "int64", 8},
                                             {ElementType::uint64, "uint64", 8},
                                             {ElementType::float16, "float16", 2},
                                             {ElementType::bfloat16, "bfloat16", 2},
                                             {ElementType::float32, "float32", 4},
                                             {ElementType::float64, "float64", 8}}};

constexpr std::array<std::pair<std::string_view, ElementType>, 13> kAliases{{{"char", ElementType::int8},
                                                                             {"uchar", ElementType::uint8},
                                                                             {"bool", ElementType::uint8},
                                                                             {"short", ElementType::int16},
                                                                             {"ushort", ElementType::uint16},
                                                                             {"int", ElementType::int32},
                                                                             {"uint", ElementType::uint32},
                                                                             {"unsigned", ElementType::uint32},
                                                                             {"long", ElementType::int64},
                                                                             {"ulong", ElementType::uint64},
                                                                             {"half", ElementType::float16},
                                                                             {"float", ElementType::float32},
                                                                             {"double", ElementType::float64}}};

std::size_t round_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

const TypeTraits& traits(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

StructLayout layout_of_types(const std::vector<ElementType>& types) {
  StructLayout layout;
  std::size_t largest = 1;
  for (const ElementType type : types) {
    const std::size_t size = size_in_bytes(type);
    layout.offsets.push_back(round_up(layout.bytes, size));
    layout.bytes = layout.offsets.back() + size;
    largest = std::max(largest, size);
  }
  layout.bytes = round_up(layout.bytes, largest);
  return layout;
}

void name_functions(std::vector<LaunchStep>& launches, const std::string& function) {
  for (LaunchStep& launch : launches) {
    if (launch.function.empty()) launch.function = function;
    name_functions(launch.group, function);
  }
}

void add_single_launches(const std::vector<LaunchStep>& launches, std::vector<LaunchStep>& single) {
  for (const LaunchStep& launch : launches) {
    if (launch.group.empty()) single.push_back(launch);
    add_single_launches(launch.group, single);
  }
}

// CUDA kernels get them in other ways, or not at all.
bool is_parameter_in_cuda(const Argument& argument) {
  if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) return vector->place == BufferPlace::global;
  return !std::holds_alternative<LocalArgument>(argument.kind) &&
         !std::holds_alternative<SamplerArgument>(argument.kind);
}

}  // namespace

std::size_t size_in_bytes(ElementType type) { return traits(type).bytes; }

std::string_view to_string(ElementType type) { return traits(type).name; }

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (const TypeTraits& entry : kTypes)
    if (entry.name == name) return entry.type;
  for (const auto& [alias, type] : kAliases)
    if (alias == name) return type;
  return std::nullopt;
}

std::size_t element_bytes(const VectorArgument& argument) {
  if (!argument.fields.empty()) return layout_of(argument.fields).bytes;
  return size_in_bytes(argument.type) * argument.vector_width;
}

StructLayout layout_of(const StructArgument& argument) {
  std::vector<ElementType> types;
  for (const StructField& field : argument.fields) types.push_back(field.scalar.type);
  return layout_of_types(types);
}

StructLayout layout_of(const std::vector<BufferField>& fields) {
  std::vector<ElementType> types;
  for (const BufferField& field : fields) types.push_back(field.type);
  return layout_of_types(types);
}

std::string_view to_string(Language language) {
  switch (language) {
    case Language::opencl: return "OpenCL";
    case Language::cuda: return "CUDA";
    case Language::cpp: return "C++";
    case Language::c: return "C";
  }
  return "unknown";
}

bool is_host_language(Language language) { return language == Language::cpp || language == Language::c; }

Result<void> use_language(KernelSpec& spec, const std::vector<Language>& languages) {
  const auto among = [&](const KernelSource& source) { return std::ranges::count(languages, source.language) > 0; };
  if (among(spec.source)) return {};
  const auto found = std::ranges::find_if(spec.alternatives, among);
  if (found == spec.alternatives.end())
    return Error(ErrorCode::mismatch, fmt::format("the kernel is written in {}, not in {}",
                                                  to_string(spec.source.language), to_string(languages.front())))
        .about(spec.source.file.string());
  std::swap(spec.source, *found);
  return {};
}

const std::vector<std::string>& resource_names() {
  static const std::vector<std::string> names{
      "registers",   "private_memory", "spills", "static_local_memory", "dynamic_local_memory",
      "binary_size", "occupancy"};
  return names;
}

std::vector<LaunchStep> launches_of(const KernelSpec& spec) {
  std::vector<LaunchStep> launches = spec.steps;
  if (launches.empty()) {
    LaunchStep& only = launches.emplace_back();
    only.geometry = spec.geometry;
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) only.arguments.push_back(i);
  }
  name_functions(launches, spec.source.function);
  return launches;
}

std::vector<LaunchStep> single_launches_of(const KernelSpec& spec) {
  std::vector<LaunchStep> single;
  add_single_launches(launches_of(spec), single);
  return single;
}

KernelSource launched_source(const KernelSpec& spec) {
  KernelSource source = spec.source;
  const std::vector<LaunchStep> launches = single_launches_of(spec);
  for (const LaunchStep& launch : launches)
    if (launch.function != source.function && std::ranges::count(source.other_functions, launch.function) == 0)
      source.other_functions.push_back(launch.function);
  return with_calls(std::move(source), spec, launches);
}

std::vector<std::size_t> parameters_of(const KernelSpec& spec, const std::vector<std::size_t>& arguments) {
  std::vector<std::size_t> parameters = arguments;
  if (spec.source.language != Language::cuda) return parameters;
  std::erase_if(parameters, [&](std::size_t position) { return !is_parameter_in_cuda(spec.arguments[position]); });
  return parameters;
}

}  // namespace wattune
