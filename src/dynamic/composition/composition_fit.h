// CompositionFit: the kernels of a composition in one configuration, for calls of certain sizes. Any thread may use
// this object.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dynamic/calls/fit.h"
#include "dynamic/composition/composition.h"

namespace wattune::inline v0_1::dynamic {

using Programs = std::vector<std::shared_ptr<backend::Program>>;  // programs, one for each of the composition's kernels

class CompositionFit {
 public:
  // Makes the fit. `problem` is the problem of the composition, seen as one kernel.
  static Result<std::unique_ptr<CompositionFit>> make(std::shared_ptr<const Composition> composition,
                                                      std::shared_ptr<const Problem> problem,
                                                      const Configuration& configuration, const Programs& programs);

  const Problem& problem() const { return *problem_; }
  // Returns the planned arguments of the call.
  const std::vector<tune::PlannedArgument>& planned() const { return planned_; }
  Result<void> check_memory(std::span<const CallArgument> arguments) {
    return memory_.check(arguments, composition_->device());
  }
  std::size_t private_bytes() const { return private_bytes_; }
  // Returns the launch of a kernel in this configuration. Fails with launch_failed if the device lacks a resource that
  // the launch needs.
  Result<const tune::Launch*> launch(std::size_t kernel) const;
  // Returns the prepared launch of a kernel, in another geometry than planned if one is given. Fails with
  // invalid_argument for a geometry of several launches.
  Result<std::shared_ptr<Fit>> fit(std::size_t kernel, const std::optional<backend::Geometry3>& geometry);

 private:
  struct Part {
    std::shared_ptr<const Problem> problem;
    Result<tune::Launch> launch;
    std::shared_ptr<Fit> fit = {};
    std::vector<std::pair<backend::Geometry3, std::shared_ptr<Fit>>> others = {};
  };

  CompositionFit(std::shared_ptr<const Composition> composition, std::shared_ptr<const Problem> problem,
                 const Programs& programs, std::vector<tune::PlannedArgument> planned);
  Result<void> add(const KernelSpec& spec, const Configuration& configuration);
  Result<std::shared_ptr<Fit>> make_fit(std::size_t kernel, tune::Launch launch) const;

  const std::shared_ptr<const Composition> composition_;
  const std::shared_ptr<const Problem> problem_;
  const Programs programs_;
  const std::vector<tune::PlannedArgument> planned_;
  MemoryCheck memory_;
  std::size_t private_bytes_ = 0;
  std::mutex mutex_;  // guards what the fits of kernels have laid out
  std::vector<Part> parts_;
};

}  // namespace wattune::dynamic
