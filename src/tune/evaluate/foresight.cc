#include "tune/evaluate/foresight.h"

#include "backend/interface/compile.h"
#include "tune/evaluate/resources.h"
#include "wattune/model/occupancy.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

namespace {

using search::CompileFeatures;
using Macros = std::vector<backend::Macro>;

backend::KernelResources told_of(const std::string& function, const backend::Image& image, const Macros& macros) {
  std::vector<std::string> symbols;
  for (const auto& [symbol, resources] : image.resources) symbols.push_back(symbol);
  const Result<std::string> symbol = backend::find_symbol(image, function, macros, symbols);
  return symbol ? image.resources.at(*symbol) : backend::KernelResources();
}

// Returns the occupancy. Returns nullopt if the occupancy is unknown for this device or this kernel.
std::optional<model::Occupancy> occupancy_of(const backend::KernelResources& resources, std::size_t group_items,
                                             const std::string& architecture) {
  const auto gpu = model::compute_capability(architecture);
  if (!gpu || !resources.registers) return std::nullopt;
  const auto occupancy = model::occupancy(*gpu, {.threads = static_cast<unsigned>(group_items),
                                                 .registers = *resources.registers,
                                                 .static_shared_bytes = resources.static_local_bytes.value_or(0),
                                                 .dynamic_shared_bytes = resources.dynamic_local_bytes.value_or(0)});
  return occupancy ? std::optional(*occupancy) : std::nullopt;
}

std::optional<backend::KernelResources> resources_of(const Launch& launch, const PlannedStep& step,
                                                     const backend::Image& image, const Macros& macros,
                                                     const std::string& architecture) {
  backend::KernelResources resources = told_of(step.function, image, macros);
  resources.dynamic_local_bytes = local_bytes(launch, step);
  resources.binary_bytes = image.code.size();
  const auto occupancy = occupancy_of(resources, group_items(step), architecture);
  if (!occupancy) return resources;
  if (occupancy->allowed_by(model::OccupancyLimit::registers) == 0) return std::nullopt;
  resources.occupancy = occupancy->fraction;
  return resources;
}

const CompileFeatures kDoesNotRun{.runs = false, .metrics = {}};

}  // namespace

std::optional<backend::KernelResources> resources_of(const Launch& launch, const backend::Image& image,
                                                     const Macros& macros, const std::string& architecture) {
  backend::KernelResources all;
  for (const PlannedStep& step : launch.steps) {
    const auto resources = resources_of(launch, step, image, macros, architecture);
    if (!resources) return std::nullopt;
    all = worst_of(all, *resources);
  }
  return all;
}

std::optional<CompileFeatures> foresee(EvaluationContext& run, const Configuration& configuration) {
  const DeviceInfo& device = run.device.info();
  const Result<Launch> launch = run.launch(configuration);
  if (!launch || !limit_exceeded(*launch, device).empty()) return kDoesNotRun;
  const Result<backend::ImageRequest> code = run.by_configuration.code(configuration);
  if (!code) return kDoesNotRun;
  const std::optional<backend::Compiled> compiled = run.options.compilers->look_at(*code);
  if (!compiled) return std::nullopt;
  if (!compiled->image)
    return compiled->image.error().code() == ErrorCode::compile_failed ? std::optional(kDoesNotRun) : std::nullopt;
  const auto resources = resources_of(*launch, *compiled->image, code->macros, device.architecture);
  if (!resources) return kDoesNotRun;
  CompileFeatures features{.runs = true, .metrics = metrics_of(*resources)};
  const Result<std::string> broken = run.resource_constraints.broken(features.metrics, configuration);
  features.runs = broken && broken->empty();
  return features;
}

}  // namespace wattune::tune
