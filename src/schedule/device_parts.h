// From a launch of a machine to launches on a device: which code, on which blocks, with which words. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wattune/schedule/loaded_kernel.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

// One launch on the device.
struct DevicePart {
  backend::Kernel* kernel = nullptr;
  backend::Geometry3 geometry;
  std::vector<backend::LaunchArgument> arguments;
};

// A launch of the kernel's twin of this form, which there is, with such a grid and its words (slice_words.h).
template <typename Words>
DevicePart twin_part(const LoadedKernel& kernel, slice::TwinForm form, const slice::Grid& blocks, const Words& words) {
  DevicePart part{kernel.code->twin(form), kernel.geometry, kernel.arguments};
  part.geometry.groups = {blocks.x, blocks.y, blocks.z};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&words, 1));
  part.arguments.emplace_back(backend::ScalarBytes{{bytes.begin(), bytes.end()}});
  return part;
}

// The whole grid or a part of it, in one form or another but persistent: one part, or several where the device knows
// boxes only. unavailable: the kernel cannot be cut, and why.
Result<std::vector<DevicePart>> parts_of(const LoadedKernel& kernel, const Launch& launch);

// Blocks of a persistent launch: as many as shall be resident on these SMs, but no more than it has to run.
std::uint64_t resident_blocks(const Launch& launch, unsigned sms);

// unavailable: the kernel has no persistent form, and why.
Result<void> check_persistent(const LoadedKernel& kernel);

// Of a kernel that has a persistent form. As slice::persistent_words().
Result<DevicePart> persistent_part(const LoadedKernel& kernel, const Launch& launch, std::uint64_t resident,
                                   const slice::Progress& progress);

// How many logical blocks are fetched at a time: as many as run for `chunk_time`, judged by what the grid takes alone
// on `sms` SMs, but so few that each resident block fetches eight times, or they would not end together. 1 where the
// time alone is unknown.
std::uint32_t chunk_of(const KernelTraits& traits, const Launch& launch, unsigned sms, std::uint64_t resident,
                       Nanoseconds chunk_time);

}  // namespace wattune::schedule
