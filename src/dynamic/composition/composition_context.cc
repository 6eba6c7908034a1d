#include "dynamic/composition/composition_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/interface/part.h"
#include "core/interface/suggest.h"
#include "dynamic/screening/application_memory.h"

namespace wattune::inline v0_1::dynamic {

std::int64_t CompositionContext::integer(std::string_view parameter) const {
  return configuration_.find(std::string(parameter))->as_integer();
}

double CompositionContext::real(std::string_view parameter) const {
  return configuration_.find(std::string(parameter))->as_real();
}

bool CompositionContext::flag(std::string_view parameter) const { return integer(parameter) != 0; }

std::string CompositionContext::text(std::string_view parameter) const {
  return configuration_.find(std::string(parameter))->as_string();
}

std::int64_t CompositionContext::size(std::string_view name) const {
  return std::ranges::find(fit_.problem().spec.problem_size, name, &NamedSize::name)->value;
}

Result<void> CompositionContext::launch(std::string_view kernel, const LaunchChange& change) {
  WATTUNE_ASSIGN(const std::size_t index, composition_.find_kernel(kernel));
  const CompositionKernel& launched = composition_.kernels()[index];
  WATTUNE_ASSIGN(const tune::Launch* const planned, fit_.launch(index));
  for (const auto& [name, value] : change.arguments)
    if (std::ranges::count(launched.spec.arguments, name, &Argument::name) == 0)
      return Error(ErrorCode::not_found, fmt::format("kernel `{}` has no argument `{}`", kernel, name));
  std::vector<CallArgument> arguments;
  for (const PassedArgument& passed : launched.signature.passed()) {
    WATTUNE_ASSIGN(CallArgument value, value_for(index, passed, *planned, change));
    arguments.push_back(value);
  }
  WATTUNE_TRY(launched.signature.check(arguments));
  WATTUNE_ASSIGN(const std::shared_ptr<Fit> fit, fit_.fit(index, change.geometry));
  WATTUNE_ASSIGN(Lane* const lane, workspace_.use(change.stream));
  const std::lock_guard lock(lane->sending);
  WATTUNE_TRY(fit->send(*lane, arguments));
  ++launches_;
  return {};
}

Result<CallArgument> CompositionContext::value_for(std::size_t kernel, const PassedArgument& passed,
                                                   const tune::Launch& launch, const LaunchChange& change) {
  const std::string& name = composition_.kernels()[kernel].spec.arguments[passed.argument].name;
  const auto changed = std::ranges::find(change.arguments, name, [](const auto& each) { return each.first; });
  if (changed != change.arguments.end()) return changed->second;
  const tune::PlannedArgument& planned = launch.arguments[passed.argument];
  if (passed.is_memory) return memory_for(holder(name), planned);
  if (const auto set = scalars_.find(name); set != scalars_.end()) return set->second;
  if (const auto index = composition_.passed(name)) return arguments_[*index];
  return CallArgument::of_bytes(std::get<backend::ScalarBytes>(planned).bytes);
}

// Returns the memory of this name. Memory that no call passes, and that the function did not resize, has at least the
// size in the kernel's spec.
Result<CallArgument> CompositionContext::memory_for(const std::string& name, const tune::PlannedArgument& planned) {
  if (const auto index = composition_.passed(name)) return arguments_[*index];
  if (const auto* const buffer = std::get_if<tune::PlannedBuffer>(&planned)) {
    WATTUNE_ASSIGN(const backend::Buffer* const own, workspace_.at_least(name, buffer->bytes));
    return CallArgument(*own);
  }
  const backend::Buffer* const own = workspace_.find(name);
  return own == nullptr ? CallArgument(nullptr) : CallArgument(*own);
}

Result<backend::Geometry3> CompositionContext::geometry(std::string_view kernel) const {
  WATTUNE_ASSIGN(const std::size_t index, composition_.find_kernel(kernel));
  WATTUNE_ASSIGN(const tune::Launch* const planned, fit_.launch(index));
  return planned->steps.front().geometry;
}

std::string CompositionContext::holder(std::string_view name) const {
  const auto swapped = swapped_.find(name);
  return swapped == swapped_.end() ? std::string(name) : swapped->second;
}

Error CompositionContext::unknown(std::string_view name) const {
  return Error(ErrorCode::not_found, fmt::format("composition `{}` has no memory `{}`", composition_.spec().name, name))
      .hint("pass it to the call, or make it with resize()");
}

Result<CallArgument> CompositionContext::argument(std::string_view name) const {
  if (const auto set = scalars_.find(name); set != scalars_.end()) return set->second;
  const std::string held = holder(name);
  if (const auto index = composition_.passed(held)) return arguments_[*index];
  if (const backend::Buffer* const own = workspace_.find(held)) return CallArgument(*own);
  return unknown(name);
}

Result<CallArgument> CompositionContext::resize(std::string_view name, std::size_t bytes) {
  const std::string held = holder(name);
  if (composition_.passed(held))
    return Error(ErrorCode::invalid_argument, fmt::format("`{}` of composition `{}` is the call's, and is not resized",
                                                          name, composition_.spec().name));
  WATTUNE_ASSIGN(const backend::Buffer* const made, workspace_.resize(held, bytes));
  return CallArgument(*made);
}

Result<void> CompositionContext::swap(std::string_view a, std::string_view b) {
  for (const std::string_view name : {a, b}) {
    WATTUNE_ASSIGN(const CallArgument value, argument(name));
    if (!value.is_memory()) return unknown(name);
  }
  const std::string of_a = holder(a);
  swapped_[std::string(a)] = holder(b);
  swapped_[std::string(b)] = of_a;
  return {};
}

Result<void> CompositionContext::set(std::string_view name, const CallArgument& scalar) {
  for (const CompositionKernel& kernel : composition_.kernels())
    for (const PassedArgument& passed : kernel.signature.passed())
      if (kernel.spec.arguments[passed.argument].name == name && !passed.is_memory) {
        scalars_.insert_or_assign(std::string(name), scalar);
        return {};
      }
  return Error(ErrorCode::not_found,
               fmt::format("no kernel of composition `{}` has a scalar `{}`", composition_.spec().name, name));
}

template <typename Send>
Result<void> CompositionContext::transfer(std::size_t stream, const Send& send) {
  WATTUNE_ASSIGN(Lane* const lane, workspace_.use(stream));
  const bool is_marked = transfers_ != nullptr && stream == 0;
  {
    const std::lock_guard lock(lane->sending);
    MarkedSpan span;
    if (is_marked) {
      WATTUNE_ASSIGN(span.before, workspace_.mark(*lane));
    }
    WATTUNE_TRY(send(*lane->stream));
    if (is_marked) {
      WATTUNE_ASSIGN(span.after, workspace_.mark(*lane));
      transfers_->push_back(std::move(span));
    }
  }
  return workspace_.settle(stream);
}

Result<void> CompositionContext::write(std::string_view name, std::span<const std::byte> data, std::size_t stream) {
  WATTUNE_ASSIGN(backend::Buffer* const to, bytes_of(name, data.size()));
  return transfer(stream, [&](backend::Stream& in) { return in.write(*to, data); });
}

Result<void> CompositionContext::read(std::string_view name, std::span<std::byte> data, std::size_t stream) {
  WATTUNE_ASSIGN(const backend::Buffer* const from, bytes_of(name, data.size()));
  return transfer(stream, [&](backend::Stream& in) { return in.read(*from, data); });
}

Result<void> CompositionContext::copy(std::string_view from, std::string_view to, std::size_t stream) {
  WATTUNE_ASSIGN(const backend::Buffer* const source, bytes_of(from, std::nullopt));
  WATTUNE_ASSIGN(backend::Buffer* const target, bytes_of(to, source->bytes()));
  WATTUNE_ASSIGN(Lane* const lane, workspace_.use(stream));
  const std::lock_guard lock(lane->sending);
  return lane->stream->copy(*source, *target);
}

Result<void> CompositionContext::fill(std::string_view name, std::byte value, std::size_t stream) {
  WATTUNE_ASSIGN(backend::Buffer* const filled, bytes_of(name, std::nullopt));
  WATTUNE_ASSIGN(Lane* const lane, workspace_.use(stream));
  const std::lock_guard lock(lane->sending);
  return lane->stream->fill(*filled, value);
}

std::optional<std::size_t> CompositionContext::planned_bytes(const std::string& name) const {
  const std::vector<Argument>& arguments = composition_.spec().arguments;
  const auto found = std::ranges::find(arguments, name, &Argument::name);
  if (found == arguments.end()) return std::nullopt;
  const auto* const buffer =
      std::get_if<tune::PlannedBuffer>(&fit_.planned()[static_cast<std::size_t>(found - arguments.begin())]);
  return buffer == nullptr ? std::nullopt : std::optional(buffer->bytes);
}

Result<backend::Buffer*> CompositionContext::bytes_of(std::string_view name, std::optional<std::size_t> bytes) {
  const std::string held = holder(name);
  const std::size_t planned = planned_bytes(held).value_or(bytes.value_or(0));
  WATTUNE_ASSIGN(backend::Buffer* const all, whole(held, planned));
  const std::size_t wanted = bytes.value_or(composition_.passed(held) ? planned : all->bytes());
  if (wanted == all->bytes()) return all;
  if (wanted > all->bytes())
    return Error(ErrorCode::mismatch, fmt::format("`{}` of composition `{}` has {} bytes, not {}", name,
                                                  composition_.spec().name, all->bytes(), wanted));
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> part, backend::part_of(*all, 0, wanted));
  return &workspace_.keep(std::move(part));
}

// Returns the whole memory of a name. Memory of the application is assumed to have the size in the spec, since a call
// with smaller memory was refused.
Result<backend::Buffer*> CompositionContext::whole(const std::string& name, std::size_t bytes) {
  const auto index = composition_.passed(name);
  if (!index) {
    backend::Buffer* const own = workspace_.find(name);
    if (own == nullptr) return unknown(name);
    return own;
  }
  const CallArgument& passed = arguments_[*index];
  if (!passed.is_memory()) return unknown(name);
  // The call passes the memory for kernels to write, so writing to it here is allowed, too.
  if (passed.buffer() != nullptr) return const_cast<backend::Buffer*>(passed.buffer());
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> adopted, adopt_memory(composition_.device(), passed.memory(), bytes));
  return &workspace_.keep(std::move(adopted));
}

}  // namespace wattune::dynamic
