#include "wattune/core/kernel_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace wattune::inline v0_1 {

namespace {

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the extent of the problem to which this name refers in expressions; nullopt if there is no such extent.
std::optional<std::int64_t> size_named(std::string_view name, const std::vector<NamedSize>& sizes) {
  constexpr std::array<std::string_view, 3> kAxes{"problem_size_x", "problem_size_y", "problem_size_z"};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (name == sizes[i].name || (i < kAxes.size() && name == kAxes[i]) || name == fmt::format("ProblemSize[{}]", i))
      return sizes[i].value;
  return std::nullopt;
}

// Returns the function with the names of problem extents in its template arguments replaced by their values.
std::string with_sizes(const std::string& function, const std::vector<NamedSize>& sizes) {
  const std::size_t list = std::min(function.find('<'), function.size());
  std::string text = function.substr(0, list);
  for (std::size_t at = list; at < function.size();) {
    std::size_t end = at;
    while (end < function.size() && continues_name(function[end])) ++end;
    if (function.compare(at, end - at, "ProblemSize") == 0)
      end = std::min(function.find(']', end), function.size() - 1) + 1;
    end = std::max(end, at + 1);
    const std::string name = function.substr(at, end - at);
    const std::optional<std::int64_t> size = size_named(name, sizes);
    text += size ? std::to_string(*size) : name;
    at = end;
  }
  return text;
}

void put_sizes(std::vector<LaunchStep>& launches, const std::vector<NamedSize>& sizes) {
  for (LaunchStep& launch : launches) {
    launch.function = with_sizes(launch.function, sizes);
    put_sizes(launch.group, sizes);
  }
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

// Tells whether the argument is a parameter of a CUDA kernel. All other arguments reach the kernel in other ways, or
// are not passed.
bool is_parameter_in_cuda(const Argument& argument) {
  if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) return vector->place == BufferPlace::global;
  return !std::holds_alternative<LocalArgument>(argument.kind) &&
         !std::holds_alternative<SamplerArgument>(argument.kind);
}

}  // namespace

Result<void> use_language(KernelSpec& spec, const std::vector<Language>& languages) {
  const auto among = [&](const KernelSource& source) { return std::ranges::count(languages, source.language) > 0; };
  if (among(spec.source)) {
    pad_vectors(spec);
    return {};
  }
  const auto found = std::ranges::find_if(spec.alternatives, among);
  if (found == spec.alternatives.end())
    return Error(ErrorCode::mismatch, fmt::format("the kernel is written in {}, not in {}",
                                                  to_string(spec.source.language), to_string(languages.front())))
        .about(spec.source.file.string());
  std::swap(spec.source, *found);
  pad_vectors(spec);
  return {};
}

void pad_vectors(KernelSpec& spec) {
  const std::size_t padding = spec.source.language == Language::opencl ? 1 : 0;
  for (Argument& argument : spec.arguments) {
    if (auto* vector = std::get_if<VectorArgument>(&argument.kind); vector != nullptr && vector->vector_width == 3)
      vector->padding = padding;
    if (auto* by_value = std::get_if<StructArgument>(&argument.kind); by_value != nullptr && by_value->is_vector)
      by_value->padding = by_value->fields.size() == 3 ? padding : 0;
  }
}

const std::vector<std::string>& resource_names() {
  static const std::vector<std::string> names{
      "registers",   "private_memory", "spills", "static_local_memory", "dynamic_local_memory",
      "binary_size", "occupancy"};
  return names;
}

const std::vector<std::string>& figure_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = resource_names();
    for (const char* each :
         {"time", "power", "energy", "dynamic_energy", "temperature", "voltage", "edp", "ed2p", "operations_per_joule"})
      all.emplace_back(each);
    return all;
  }();
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
  put_sizes(launches, spec.problem_size);
  return launches;
}

std::vector<LaunchStep> single_launches_of(const KernelSpec& spec) {
  std::vector<LaunchStep> single;
  add_single_launches(launches_of(spec), single);
  return single;
}

KernelSource sized_source(const KernelSpec& spec, KernelSource source) {
  source.function = with_sizes(source.function, spec.problem_size);
  return source;
}

KernelSource launched_source(const KernelSpec& spec) {
  KernelSource source = sized_source(spec, spec.source);
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
