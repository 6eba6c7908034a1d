#include "dynamic/composition/composition_fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::dynamic {

namespace {

// The largest number of geometries, other than the spec's own, that are prepared for a kernel at one time. Iterative
// kernels need few of them.
constexpr std::size_t kMostGeometries = 64;

Result<tune::Launch> launch_of(const Problem& problem, const Configuration& configuration, const DeviceInfo& device) {
  Result<tune::Launch> launch = problem.plan.evaluate(configuration);
  const std::string beyond = launch ? tune::limit_exceeded(*launch, device) : std::string();
  if (beyond.empty()) return launch;
  return Error(ErrorCode::launch_failed,
               fmt::format("kernel `{}` with {} needs {}", problem.spec.name, configuration.to_string(), beyond));
}

}  // namespace

CompositionFit::CompositionFit(std::shared_ptr<const Composition> composition, std::shared_ptr<const Problem> problem,
                               const Programs& programs, std::vector<tune::PlannedArgument> planned)
    : composition_(std::move(composition)),
      problem_(std::move(problem)),
      programs_(programs),
      planned_(std::move(planned)),
      memory_(problem_->spec, composition_->signature(), planned_, backend::memory_mark(composition_->device())) {}

Result<std::unique_ptr<CompositionFit>> CompositionFit::make(std::shared_ptr<const Composition> composition,
                                                             std::shared_ptr<const Problem> problem,
                                                             const Configuration& configuration,
                                                             const Programs& programs) {
  WATTUNE_ASSIGN(std::vector<tune::PlannedArgument> planned, problem->plan.arguments(configuration));
  std::unique_ptr<CompositionFit> fit(
      new CompositionFit(std::move(composition), std::move(problem), programs, std::move(planned)));
  for (const CompositionKernel& kernel : fit->composition_->kernels())
    WATTUNE_TRY(fit->add(kernel.spec, configuration));
  return fit;
}

// Adds a kernel. If the kernel cannot be launched in this configuration, the error is reported when the function
// launches it.
Result<void> CompositionFit::add(const KernelSpec& spec, const Configuration& configuration) {
  WATTUNE_ASSIGN(auto problem, Problem::make(spec, problem_->spec.problem_size, problem_->key, problem_.get()));
  Result<tune::Launch> launch = launch_of(*problem, configuration, composition_->device().info());
  Part& part = parts_.emplace_back(Part{std::move(problem), std::move(launch)});
  if (!part.launch) return {};
  WATTUNE_ASSIGN(part.fit, make_fit(parts_.size() - 1, *part.launch));
  private_bytes_ = std::max(private_bytes_, part.fit->private_bytes());
  return {};
}

Result<std::shared_ptr<Fit>> CompositionFit::make_fit(std::size_t kernel, tune::Launch launch) const {
  WATTUNE_ASSIGN(std::unique_ptr<Fit> fit,
                 Fit::make(parts_[kernel].problem, CallSizes(), composition_->kernels()[kernel].signature,
                           std::move(launch), *programs_[kernel], composition_->device()));
  return std::shared_ptr<Fit>(std::move(fit));
}

Result<const tune::Launch*> CompositionFit::launch(std::size_t kernel) const {
  const Result<tune::Launch>& launch = parts_[kernel].launch;
  if (!launch) return launch.error();
  return &*launch;
}

Result<std::shared_ptr<Fit>> CompositionFit::fit(std::size_t kernel,
                                                 const std::optional<backend::Geometry3>& geometry) {
  WATTUNE_ASSIGN(const tune::Launch* const planned, launch(kernel));
  Part& part = parts_[kernel];
  if (!geometry || (planned->steps.size() == 1 && planned->steps.front().geometry == *geometry)) return part.fit;
  if (planned->steps.size() != 1)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("kernel `{}` is several launches, which have no one geometry", part.problem->spec.name));
  const std::lock_guard lock(mutex_);
  for (const auto& [known, fit] : part.others)
    if (known == *geometry) return fit;
  tune::Launch changed = *planned;
  changed.steps.front().geometry = *geometry;
  if (const std::string beyond = tune::limit_exceeded(changed, composition_->device().info()); !beyond.empty())
    return Error(ErrorCode::launch_failed,
                 fmt::format("kernel `{}` in the geometry given needs {}", part.problem->spec.name, beyond));
  WATTUNE_ASSIGN(std::shared_ptr<Fit> fit, make_fit(kernel, std::move(changed)));
  if (part.others.size() == kMostGeometries) part.others.erase(part.others.begin());
  return part.others.emplace_back(*geometry, std::move(fit)).second;
}

}  // namespace wattune::dynamic
