#include "dynamic/calls/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace wattune::inline v0_1::dynamic {

namespace {

// Returns the arguments of a call, recovered from the parameters of its launch. Returns an empty list if the launch
// does not contain all arguments.
std::vector<CallArgument> passed_in(const LaunchParts& parts, const tune::PlannedStep& step,
                                    const std::vector<std::vector<std::byte>>& parameters) {
  std::map<std::size_t, std::span<const std::byte>> values;
  for (const std::size_t argument : step.arguments)
    if (!std::holds_alternative<backend::LocalBytes>(parts.launch.arguments[argument])) {
      if (values.size() == parameters.size()) return {};
      values.emplace(argument, parameters[values.size()]);
    }
  std::vector<CallArgument> passed;
  for (const PassedArgument& each : parts.signature.passed()) {
    const auto value = values.find(each.argument);
    if (value == values.end() || value->second.size() > CallArgument::kMostValueBytes) return {};
    std::uintptr_t memory = 0;
    if (each.is_memory) std::memcpy(&memory, value->second.data(), std::min(sizeof memory, value->second.size()));
    passed.push_back(each.is_memory ? CallArgument(reinterpret_cast<void*>(memory))
                                    : CallArgument::of_bytes(value->second));
  }
  return passed;
}

}  // namespace

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
      memory_(problem_->spec, signature, parts_.launch.arguments, backend::memory_mark(device)),
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

// Finds the layout of the launches for a lane (a stream of the application), or makes one. The lane is locked, so that
// no other thread adds or reads a layout for this lane. If the stream of a layout was forgotten, the layout is renewed
// for the next stream with the same handle.
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

std::size_t Fit::launches() const {
  std::size_t count = 0;
  for (const tune::PlannedStep& step : parts_.launch.steps) count += step.repeat;
  return count;
}

bool Fit::is_one_launch() const { return launches() == 1; }

// Returns the call's arguments if the graph's launch is one of these launches. The geometry distinguishes the launch
// from a launch of the same function at other sizes.
std::vector<CallArgument> Fit::call_in(const backend::GraphLaunch& launch) const {
  if (!is_one_launch()) return {};
  const tune::PlannedStep& step = parts_.launch.steps.front();
  const bool is_mine = backend::function_of(*parts_.kernels.at(step.function)) == launch.function &&
                       step.geometry.groups == launch.groups && step.geometry.group_size == launch.group_size;
  return is_mine ? passed_in(parts_, step, launch.arguments) : std::vector<CallArgument>();
}

Result<void> Fit::replace(Lane& lane, std::span<const CallArgument> arguments, const backend::GraphLaunch& launch,
                          CUgraphExec_st* executable) {
  if (!is_one_launch())
    return Error(ErrorCode::unavailable, "the best known is several launches, which cannot take the place of one");
  WATTUNE_ASSIGN(Layout* const layout, layout_in(lane, arguments));
  return layout->replace(arguments, launch, executable);
}

Result<void> Fit::send(Lane& lane, std::span<const CallArgument> arguments) {
  WATTUNE_ASSIGN(Layout* const layout, layout_in(lane, arguments));
  return layout->send(arguments);
}

Result<std::vector<std::unique_ptr<backend::Event>>> Fit::send_timed(Lane& lane,
                                                                     std::span<const CallArgument> arguments) {
  WATTUNE_ASSIGN(Layout* const layout, layout_in(lane, arguments));
  return layout->send_timed(arguments);
}

}  // namespace wattune::dynamic
