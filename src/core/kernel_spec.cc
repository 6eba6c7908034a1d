#include "wattune/core/kernel_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1 {

namespace {

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

// Tells whether the argument is a parameter of a CUDA kernel. CUDA kernels get the others in other ways, or not at all.
bool is_parameter_in_cuda(const Argument& argument) {
  if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) return vector->place == BufferPlace::global;
  return !std::holds_alternative<LocalArgument>(argument.kind) &&
         !std::holds_alternative<SamplerArgument>(argument.kind);
}

}  // namespace

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
