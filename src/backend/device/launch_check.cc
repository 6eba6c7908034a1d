#include "backend/interface/launch_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backend/device/foreign_object.h"
#include "backend/interface/c_type.h"

namespace wattune::inline v0_1::backend {

namespace {

std::string shape(const std::array<std::size_t, 3>& sizes) {
  return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

Result<void> check_group(const DeviceInfo& info, const Kernel& kernel, const Geometry3& geometry) {
  const auto most = info.max_work_item_sizes.value_or(std::array<std::size_t, 3>{});
  std::size_t group = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (geometry.group_size[d] == 0 || geometry.groups[d] == 0)
      return refused(
          kernel, fmt::format("{} work-groups of {} work-items", shape(geometry.groups), shape(geometry.group_size)));
    if (geometry.group_size[d] > most[d])
      return refused(kernel, fmt::format("work-group of {} work-items, the device allows at most {}",
                                         shape(geometry.group_size), shape(most)));
    std::size_t work_items = 0;
    if (__builtin_mul_overflow(geometry.groups[d], geometry.group_size[d], &work_items) ||
        __builtin_mul_overflow(group, geometry.group_size[d], &group))
      return refused(kernel, "more work-items than fit into 64 bits");
  }
  if (group > kernel.max_work_group_size())
    return refused(kernel, fmt::format("work-group of {} = {} work-items, at most {} are possible",
                                       shape(geometry.group_size), group, kernel.max_work_group_size()));
  return {};
}

// Returns the arguments that are parameters. CUDA kernels get no local memory, constant symbols or samplers as
// parameters.
std::vector<const LaunchArgument*> parameters_of(const DeviceInfo& info, std::span<const LaunchArgument> arguments) {
  std::vector<const LaunchArgument*> parameters;
  for (const LaunchArgument& argument : arguments) {
    const bool none = std::holds_alternative<LocalBytes>(argument) ||
                      std::holds_alternative<ConstantBuffer>(argument) || std::holds_alternative<Sampling>(argument);
    if (!none || !compiles(info, Language::cuda)) parameters.push_back(&argument);
  }
  return parameters;
}

bool fits(const LaunchArgument& argument, const KernelParameter& parameter) {
  const auto is = [&](AddressSpace space) { return !parameter.space || parameter.space == space; };
  if (std::holds_alternative<LocalBytes>(argument)) return is(AddressSpace::local);
  if (const auto* scalar = std::get_if<ScalarBytes>(&argument))
    return is(AddressSpace::by_value) && parameter.bytes.value_or(scalar->bytes.size()) == scalar->bytes.size();
  if (std::holds_alternative<Sampling>(argument)) return true;
  const auto* buffer = std::get_if<const Buffer*>(&argument);
  const bool object = buffer != nullptr && *buffer != nullptr && (*buffer)->has_pixels();  // image or texture
  return (object || is(AddressSpace::global) || is(AddressSpace::constant)) &&
         parameter.bytes.value_or(sizeof(void*)) == sizeof(void*);
}

std::string describe(const LaunchArgument& argument) {
  if (std::holds_alternative<LocalBytes>(argument)) return "local memory";
  if (std::holds_alternative<Sampling>(argument)) return "a sampler";
  const auto* scalar = std::get_if<ScalarBytes>(&argument);
  return scalar != nullptr ? fmt::format("{} bytes", scalar->bytes.size()) : "a buffer";
}

Result<void> check_parameters(const DeviceInfo& info, const Kernel& kernel, std::span<const LaunchArgument> arguments) {
  const std::vector<const LaunchArgument*> given = parameters_of(info, arguments);
  if (given.size() != kernel.argument_count())
    return Error(ErrorCode::mismatch, fmt::format("kernel `{}` takes {} arguments, {} given", kernel.name(),
                                                  kernel.argument_count(), given.size()));
  const std::span<const KernelParameter> parameters = kernel.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!fits(*given[i], parameters[i]))
      return Error(ErrorCode::mismatch, fmt::format("argument {} of kernel `{}` is declared `{}`, {} given", i + 1,
                                                    kernel.name(), describe(parameters[i]), describe(*given[i])));
  return {};
}

// Checks that the device's backend has the features that the launch uses. Some features exist only in CUDA, others only
// in OpenCL.
Result<void> check_abilities(const DeviceInfo& info, const Geometry3& geometry,
                             std::span<const LaunchArgument> arguments) {
  if (geometry.first_group != std::array<std::size_t, 3>{} && !compiles(info, Language::opencl))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("launches on {} begin with their first work-group: others are OpenCL's", info.selector));
  if (compiles(info, Language::cuda)) return {};
  const auto lacks = [&](std::string_view what) {
    return Error(ErrorCode::invalid_argument, fmt::format("{} has no {}: they are CUDA's", info.selector, what));
  };
  if (geometry.cooperative) return lacks("cooperative launches");
  if (geometry.cluster != std::array<std::size_t, 3>{1, 1, 1}) return lacks("thread block clusters");
  for (const LaunchArgument& argument : arguments)
    if (std::holds_alternative<ConstantBuffer>(argument)) return lacks("constant symbols");
  return {};
}

// Returns the buffer of an argument; nullptr if the argument is no buffer or a null pointer.
const Buffer* buffer_of(const LaunchArgument& argument) {
  if (const auto* buffer = std::get_if<const Buffer*>(&argument)) return *buffer;
  const auto* constant = std::get_if<ConstantBuffer>(&argument);
  return constant != nullptr ? constant->buffer : nullptr;
}

Result<void> check_objects(const DeviceLife& life, const Kernel& kernel, std::span<const LaunchArgument> arguments) {
  WATTUNE_TRY(check_own(life, kernel, "the kernel"));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Buffer* const buffer = buffer_of(arguments[i]);
    if (buffer != nullptr && buffer->life() != &life)
      return foreign(life, *buffer, fmt::format("the buffer of argument {} of kernel `{}`", i + 1, kernel.name()));
    if (buffer == nullptr && std::holds_alternative<ConstantBuffer>(arguments[i]))
      return Error(ErrorCode::invalid_argument, fmt::format("constant symbol `{}` is given no buffer",
                                                            std::get<ConstantBuffer>(arguments[i]).symbol));
  }
  return {};
}

}  // namespace

Error refused(const Kernel& kernel, const std::string& reason) {
  return Error(ErrorCode::launch_failed, fmt::format("kernel `{}` cannot be launched: {}", kernel.name(), reason));
}

std::uint64_t local_bytes_of(std::span<const LaunchArgument> arguments) {
  std::uint64_t bytes = 0;
  for (const LaunchArgument& argument : arguments)
    if (const auto* local = std::get_if<LocalBytes>(&argument)) bytes += local->bytes;
  return bytes;
}

Result<void> check_launch(const DeviceLife& life, const Kernel& kernel, const Geometry3& geometry,
                          std::span<const LaunchArgument> arguments) {
  const DeviceInfo& info = life.info();
  WATTUNE_TRY(check_objects(life, kernel, arguments));
  WATTUNE_TRY(check_parameters(info, kernel, arguments));
  WATTUNE_TRY(check_abilities(info, geometry, arguments));
  const std::uint64_t local_bytes = local_bytes_of(arguments);
  const std::uint64_t most = info.local_memory_bytes.value_or(0);
  if (local_bytes > most)
    return refused(kernel, fmt::format("{} bytes of local memory, the device has {}", local_bytes, most));
  return check_group(info, kernel, geometry);
}

}  // namespace wattune::backend
