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

// How a resident block fetches logical blocks.
struct Fetching {
  std::uint32_t chunk = 1;  // at a time
  bool ahead = false;       // the next ones while the last one of these runs
};

// As many as run for `chunk_time`, judged by what the grid takes alone on `sms` SMs, and so many that fetches of all
// resident blocks do not queue up; but so few that each fetches eight times, or they would not end together. Ahead
// where that is short: long blocks do not notice a fetch, and end sooner when they are stopped without. 1 where the
// time alone is unknown.
Fetching fetching_of(const KernelTraits& traits, const Launch& launch, unsigned sms, std::uint64_t resident,
                     Nanoseconds chunk_time);

}  // namespace wattune::schedule
