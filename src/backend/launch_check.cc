#include "backend/launch_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "wattune/backend/registry.h"

namespace wattune::backend {

namespace {

std::string shape(const std::array<std::size_t, 3>& sizes) {
  return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

Result<void> check_group(const DeviceInfo& info, const Kernel& kernel, const Geometry3& geometry) {
  std::size_t group = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (geometry.group_size[d] == 0 || geometry.groups[d] == 0)
      return refused(
          kernel, fmt::format("{} work-groups of {} work-items", shape(geometry.groups), shape(geometry.group_size)));
    if (geometry.group_size[d] > info.max_work_item_sizes[d])
      return refused(kernel, fmt::format("work-group of {} work-items, the device allows at most {}",
                                         shape(geometry.group_size), shape(info.max_work_item_sizes)));
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

// CUDA kernels get neither local memory nor constant symbols nor samplers as parameters.
std::size_t parameters_of(const DeviceInfo& info, std::span<const LaunchArgument> arguments) {
  if (language_of(info) != Language::cuda) return arguments.size();
  return static_cast<std::size_t>(std::ranges::count_if(arguments, [](const LaunchArgument& argument) {
    return !std::holds_alternative<LocalBytes>(argument) && !std::holds_alternative<ConstantBuffer>(argument) &&
           !std::holds_alternative<Sampling>(argument);
  }));
}

// What only CUDA has.
Result<void> check_abilities(const DeviceInfo& info, const Geometry3& geometry,
                             std::span<const LaunchArgument> arguments) {
  if (language_of(info) == Language::cuda) return {};
  const auto lacks = [&](std::string_view what) {
    return Error(ErrorCode::invalid_argument, fmt::format("{} has no {}: they are CUDA's", info.selector, what));
  };
  if (geometry.cooperative) return lacks("cooperative launches");
  if (geometry.cluster != std::array<std::size_t, 3>{1, 1, 1}) return lacks("thread block clusters");
  for (const LaunchArgument& argument : arguments)
    if (std::holds_alternative<ConstantBuffer>(argument)) return lacks("constant symbols");
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

Result<void> check_launch(const DeviceInfo& info, const Kernel& kernel, const Geometry3& geometry,
                          std::span<const LaunchArgument> arguments) {
  const std::size_t given = parameters_of(info, arguments);
  if (given != kernel.argument_count())
    return Error(ErrorCode::mismatch, fmt::format("kernel `{}` takes {} arguments, {} given", kernel.name(),
                                                  kernel.argument_count(), given));
  WATTUNE_TRY(check_abilities(info, geometry, arguments));
  const std::uint64_t local_bytes = local_bytes_of(arguments);
  if (local_bytes > info.local_memory_bytes)
    return refused(kernel,
                   fmt::format("{} bytes of local memory, the device has {}", local_bytes, info.local_memory_bytes));
  return check_group(info, kernel, geometry);
}

}  // namespace wattune::backend
