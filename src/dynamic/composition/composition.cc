#include "dynamic/composition/composition.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interface/suggest.h"
#include "tune/interface/describe_run.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Error wrong_composition(const CompositionSpec& composition, std::string_view what) {
  return Error(ErrorCode::invalid_argument, fmt::format("composition `{}` {}", composition.name, what));
}

// Returns the spec with scalars that neither give sizes nor are computed, so that each call of the kernel passes them.
KernelSpec with_open_scalars(KernelSpec spec) {
  for (Argument& argument : spec.arguments) {
    if (auto* const scalar = std::get_if<ScalarArgument>(&argument.kind)) scalar->value = {"0"};
    if (auto* const fields = std::get_if<StructArgument>(&argument.kind))
      for (StructField& field : fields->fields) field.scalar.value = {"0"};
  }
  return spec;
}

Result<CompositionKernel> kernel_of(const CompositionSpec& composition, KernelSpec spec, const DeviceInfo& device) {
  WATTUNE_TRY(use_language(spec, device.languages));
  spec.parameters = composition.parameters;
  spec.constraints = composition.constraints;
  spec.problem_size = composition.sizes;
  WATTUNE_ASSIGN(Signature signature, Signature::make(with_open_scalars(spec)));
  for (const PassedArgument& passed : signature.passed())
    if (passed.bytes > CallArgument::kMostValueBytes)
      return wrong_composition(composition,
                               fmt::format("has a struct of {} bytes, `{}`, calls pass at most {}", passed.bytes,
                                           spec.arguments[passed.argument].name, CallArgument::kMostValueBytes));
  return CompositionKernel{std::move(spec), std::move(signature)};
}

Result<std::vector<CompositionKernel>> kernels_of(const CompositionSpec& composition, const DeviceInfo& device) {
  if (!composition.run) return wrong_composition(composition, "has no function");
  if (composition.kernels.empty()) return wrong_composition(composition, "has no kernel");
  std::vector<CompositionKernel> kernels;
  for (const KernelSpec& spec : composition.kernels) {
    for (const CompositionKernel& known : kernels)
      if (known.spec.name == spec.name)
        return wrong_composition(composition, fmt::format("has two kernels that are called `{}`", spec.name));
    WATTUNE_ASSIGN(CompositionKernel kernel, kernel_of(composition, spec, device));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<Argument> argument_of(const CompositionSpec& composition, const std::string& name) {
  std::vector<std::string> names;
  for (const KernelSpec& kernel : composition.kernels)
    for (const Argument& argument : kernel.arguments) {
      if (argument.name == name) return argument;
      names.push_back(argument.name);
    }
  return Error(ErrorCode::not_found,
               fmt::format("no kernel of composition `{}` has an argument `{}`", composition.name, name))
      .hint(suggest(name, names));
}

// Returns the composition as one kernel. The text of that kernel is never compiled. It only distinguishes versions of
// the composition.
Result<KernelSpec> as_one_kernel(const CompositionSpec& composition, const std::vector<CompositionKernel>& kernels) {
  KernelSpec whole;
  whole.name = composition.name;
  whole.source.language = kernels.front().spec.source.language;
  whole.source.function = composition.name;
  whole.problem_size = composition.sizes;
  whole.parameters = composition.parameters;
  whole.constraints = composition.constraints;
  for (const CompositionKernel& kernel : kernels)
    for (const auto& [part, value] : tune::kernel_identity(kernel.spec))
      whole.source.text += fmt::format("{}:{},{}:{},", part.size(), part, value.size(), value);
  for (const std::string& name : composition.arguments) {
    WATTUNE_ASSIGN(Argument argument, argument_of(composition, name));
    whole.arguments.push_back(std::move(argument));
  }
  return whole;
}

}  // namespace

Result<std::shared_ptr<Composition>> Composition::make(CompositionSpec composition, backend::Device& device,
                                                       Streams& streams, Nanoseconds compile_limit) {
  WATTUNE_ASSIGN(std::vector<CompositionKernel> kernels, kernels_of(composition, device.info()));
  WATTUNE_ASSIGN(KernelSpec whole, as_one_kernel(composition, kernels));
  WATTUNE_ASSIGN(Signature signature, Signature::make(whole));
  const std::shared_ptr<Composition> made(new Composition(std::move(composition), std::move(whole),
                                                          std::move(signature), std::move(kernels), device, streams));
  WATTUNE_ASSIGN(made->marker_, Marker::make(device, compile_limit));
  return made;
}

Result<std::size_t> Composition::find_kernel(std::string_view name) const {
  std::vector<std::string> names;
  for (const CompositionKernel& kernel : kernels_) names.push_back(kernel.spec.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return Error(ErrorCode::not_found, fmt::format("composition `{}` has no kernel `{}`", description_.name, name))
      .hint(suggest(std::string(name), names));
}

std::optional<std::size_t> Composition::passed(std::string_view name) const {
  const auto found = std::ranges::find(description_.arguments, name);
  if (found == description_.arguments.end()) return std::nullopt;
  return static_cast<std::size_t>(found - description_.arguments.begin());
}

Result<Workspace*> Composition::workspace(const CallStream& stream) {
  WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
  const std::lock_guard lock(adding_);
  std::unique_ptr<Workspace>& workspace = workspaces_[lane];
  if (workspace == nullptr) workspace = std::make_unique<Workspace>(*lane, device_, *marker_);
  return workspace.get();
}

void Composition::forget(const Lane& lane) {
  const std::lock_guard lock(adding_);
  workspaces_.erase(&lane);
}

}  // namespace wattune::dynamic
