#include "dynamic/fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::dynamic {

Result<std::unique_ptr<Fit>> Fit::make(std::shared_ptr<const Problem> problem, const CallSizes& sizes,
                                       const Signature& signature, const Configuration& configuration,
                                       backend::Program& program, backend::Device& device) {
  WATTUNE_ASSIGN(tune::Launch launch, problem->plan.evaluate(configuration));
  if (const std::string beyond = tune::limit_exceeded(launch, device.info()); !beyond.empty())
    return Error(ErrorCode::launch_failed, fmt::format("configuration {} needs {}", configuration.to_string(), beyond));
  return make(std::move(problem), sizes, signature, std::move(launch), program, device);
}

Result<std::unique_ptr<Fit>> Fit::make(std::shared_ptr<const Problem> problem, const CallSizes& sizes,
                                       const Signature& signature, tune::Launch launch, backend::Program& program,
                                       backend::Device& device) {
  std::unique_ptr<Fit> fit(new Fit(std::move(problem), sizes, signature, std::move(launch), device));
  WATTUNE_TRY(fit->find_kernels(program));
  return fit;
}

Fit::Fit(std::shared_ptr<const Problem> problem, const CallSizes& sizes, const Signature& signature,
         tune::Launch launch, backend::Device& device)
    : problem_(std::move(problem)),
      sizes_(sizes),
      parts_{problem_->spec.arguments, signature, std::move(launch), {}},
      memory_(problem_->spec, signature, parts_.launch.arguments),
      device_(device) {}

Result<void> Fit::find_kernels(backend::Program& program) {
  for (const tune::PlannedStep& step : parts_.launch.steps) {
    std::unique_ptr<backend::Kernel>& kernel = parts_.kernels[step.function];
    if (kernel == nullptr) {
      WATTUNE_ASSIGN(kernel, program.kernel(step.function));
    }
    WATTUNE_ASSIGN(const backend::KernelResources takes,
                   kernel->resources(tune::group_items(step), tune::local_bytes(parts_.launch, step)));
    private_bytes_ = std::max<std::size_t>(private_bytes_, takes.private_bytes.value_or(0));
  }
  return {};
}

// The lane is locked, so that no other thread adds a layout for it, or looks into one. What was laid out for a stream
// that was forgotten makes room for the next of its handle.
Result<Layout*> Fit::layout_in(Lane& lane, std::span<const CallArgument> arguments) {
  const std::size_t hash = reinterpret_cast<std::uintptr_t>(&lane) / sizeof(Lane);
  const auto is_it = [&](const Layout& layout) {
    return &layout.lane() == &lane && (!layout.is_current() || layout.suits(arguments));
  };
  if (Layout* const known = layouts_.find(hash, is_it)) {
    if (!known->is_current()) WATTUNE_TRY(known->renew(parts_, device_, arguments));
    return known;
  }
  WATTUNE_ASSIGN(std::unique_ptr<Layout> made, Layout::make(lane, parts_, device_, arguments));
  const std::lock_guard lock(adding_);
  return &layouts_.add(hash, std::move(made));
}

Result<void> Fit::send(Lane& lane, std::span<const CallArgument> arguments,
                       std::vector<std::unique_ptr<backend::Event>>* events) {
  WATTUNE_ASSIGN(Layout* const layout, layout_in(lane, arguments));
  return layout->send(arguments, events);
}

}  // namespace wattune::dynamic
