#include "dynamic/calls/layout.h"

#include <algorithm>

#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

std::uint64_t address_of(const CallArgument& argument) {
  return argument.buffer() != nullptr ? argument.buffer()->memory() : argument.memory();
}

// Returns the buffer of an argument whose memory has no address and so must be fixed when the launch is laid out.
// Returns nullptr for other arguments.
const backend::Buffer* fixed_by(const CallArgument& argument) {
  return argument.buffer() != nullptr && argument.buffer()->memory() == 0 ? argument.buffer() : nullptr;
}

// Returns the bytes of a scalar if the step sets it. Returns nullptr if the value in the call is used.
const backend::ScalarBytes* value_in(const tune::PlannedStep& step, std::size_t argument) {
  const auto found = std::ranges::find(step.values, argument, &tune::PlannedValue::argument);
  return found == step.values.end() ? nullptr : &found->bytes;
}

}  // namespace

Result<std::unique_ptr<Layout>> Layout::make(Lane& lane, const LaunchParts& parts, backend::Device& device,
                                             std::span<const CallArgument> arguments) {
  std::unique_ptr<Layout> layout(new Layout(lane));
  WATTUNE_TRY(layout->renew(parts, device, arguments));
  return layout;
}

Result<void> Layout::renew(const LaunchParts& parts, backend::Device& device, std::span<const CallArgument> arguments) {
  identity_ = 0;
  steps_.clear();
  fixed_.clear();
  adopted_.clear();
  for (const CallArgument& argument : arguments) fixed_.push_back(fixed_by(argument));
  for (const tune::PlannedStep& step : parts.launch.steps) WATTUNE_TRY(add(step, parts, device, arguments));
  identity_ = lane_.identity;
  return {};
}

Result<void> Layout::add(const tune::PlannedStep& step, const LaunchParts& parts, backend::Device& device,
                         std::span<const CallArgument> arguments) {
  Step& added = steps_.emplace_back();
  added.repeat = step.repeat;
  std::vector<backend::LaunchArgument> laid_out;
  for (const std::size_t argument : step.arguments) {
    WATTUNE_ASSIGN(auto one, argument_for(argument, step, parts, device, arguments, laid_out.size(), added.bindings));
    laid_out.push_back(std::move(one));
  }
  WATTUNE_ASSIGN(added.launch, lane_.stream->prepare(*parts.kernels.at(step.function), step.geometry, laid_out));
  return {};
}

Result<backend::LaunchArgument> Layout::argument_for(std::size_t argument, const tune::PlannedStep& step,
                                                     const LaunchParts& parts, backend::Device& device,
                                                     std::span<const CallArgument> arguments, std::size_t place,
                                                     std::vector<Binding>& bindings) {
  const tune::PlannedArgument& planned = parts.launch.arguments[argument];
  if (const auto* local = std::get_if<backend::LocalBytes>(&planned)) return backend::LaunchArgument(*local);
  if (const auto* sampling = std::get_if<Sampling>(&planned)) return backend::LaunchArgument(*sampling);
  if (const auto* value = value_in(step, argument)) return backend::LaunchArgument(*value);
  const std::vector<PassedArgument>& passed = parts.signature.passed();
  const auto found = std::ranges::find(passed, argument, &PassedArgument::argument);
  if (found->is_computed) return backend::LaunchArgument(std::get<backend::ScalarBytes>(planned));
  const auto index = static_cast<std::size_t>(found - passed.begin());
  const CallArgument& given = arguments[index];
  if (fixed_[index] == nullptr) bindings.push_back({index, place, found->is_memory});
  if (found->is_memory) return memory_for(argument, parts, device, given);
  const std::span<const std::byte> bytes = given.bytes();
  return backend::LaunchArgument(backend::ScalarBytes{{bytes.begin(), bytes.end()}});
}

// Returns the launch argument for a memory argument. A constant is copied from a buffer, whose size is that in the
// spec. Other memory is set at each call.
Result<backend::LaunchArgument> Layout::memory_for(std::size_t argument, const LaunchParts& parts,
                                                   backend::Device& device, const CallArgument& given) {
  const auto* vector = std::get_if<VectorArgument>(&parts.arguments[argument].kind);
  const backend::Buffer* buffer = given.buffer();
  if (vector == nullptr || vector->place != BufferPlace::constant) return backend::LaunchArgument(buffer);
  if (buffer == nullptr) {
    const auto& planned = std::get<tune::PlannedBuffer>(parts.launch.arguments[argument]);
    WATTUNE_ASSIGN(adopted_.emplace_back(), backend::adopt_buffer(device, given.memory(), planned.bytes));
    buffer = adopted_.back().get();
  }
  return backend::LaunchArgument(backend::ConstantBuffer{parts.arguments[argument].name, buffer});
}

bool Layout::suits(std::span<const CallArgument> arguments) const {
  return std::ranges::equal(fixed_, arguments, {}, {}, fixed_by);
}

// Sets the arguments that differ from those of the call before. Most calls change few arguments.
Result<void> Layout::set(Step& step, std::span<const CallArgument> arguments) {
  for (Binding& binding : step.bindings) {
    const CallArgument& given = arguments[binding.passed];
    const std::uint64_t value = binding.is_memory ? address_of(given) : given.word();
    if (binding.last == value) continue;
    WATTUNE_TRY(binding.is_memory ? step.launch->set_memory(binding.place, value)
                                  : step.launch->set_scalar(binding.place, given.bytes()));
    if (given.bytes().size() <= sizeof value) binding.last = value;
  }
  return {};
}

Result<void> Layout::replace(std::span<const CallArgument> arguments, const backend::GraphLaunch& launch,
                             CUgraphExec_st* executable) {
  WATTUNE_TRY(set(steps_.front(), arguments));
  return backend::replace_launch(executable, launch.node, *steps_.front().launch);
}

Result<void> Layout::send(std::span<const CallArgument> arguments) {
  for (Step& step : steps_) {
    WATTUNE_TRY(set(step, arguments));
    for (std::size_t n = 0; n < step.repeat; ++n) WATTUNE_TRY(step.launch->send());
  }
  return {};
}

Result<std::vector<std::unique_ptr<backend::Event>>> Layout::send_timed(std::span<const CallArgument> arguments) {
  std::vector<std::unique_ptr<backend::Event>> events;
  for (Step& step : steps_) {
    WATTUNE_TRY(set(step, arguments));
    for (std::size_t n = 0; n < step.repeat; ++n) {
      WATTUNE_ASSIGN(events.emplace_back(), step.launch->send_timed());
    }
  }
  return events;
}

}  // namespace wattune::dynamic
