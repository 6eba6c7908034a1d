// Turns a launch of a machine into launches on a device: which code, on which blocks, with which words. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/interface/loaded_kernel.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// One launch on the device.
struct DevicePart {
  backend::Kernel* kernel = nullptr;
  backend::Geometry3 geometry;
  std::vector<backend::LaunchArgument> arguments;
};

// Returns a launch of the kernel's twin of this form, which exists, with such a grid and its words (slice_words.h).
template <typename Words>
DevicePart twin_part(const LoadedKernel& kernel, slice::TwinForm form, const slice::Grid& blocks, const Words& words) {
  DevicePart part{kernel.code->twin(form), kernel.geometry, kernel.arguments};
  part.geometry.groups = {blocks.x, blocks.y, blocks.z};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&words, 1));
  part.arguments.emplace_back(backend::ScalarBytes{{bytes.begin(), bytes.end()}});
  return part;
}

// Some blocks of one launch of a sequence.
struct LaunchBlocks {
  const LoadedKernel* launch = nullptr;
  std::uint64_t first = 0;  // number within the launch
  std::uint64_t count = 0;
};
// Returns the blocks of a range by the launches that have them, in order; one entry for a single kernel.
std::vector<LaunchBlocks> blocks_by_launch(const LoadedKernel& kernel, std::uint64_t first, std::uint64_t count);

// Returns the launches for the whole grid or a part of it, in any form but persistent: one part for each launch of a
// sequence, or several if the device only knows boxes. Fails with unavailable, with the reason, if it cannot be cut.
Result<std::vector<DevicePart>> parts_of(const LoadedKernel& kernel, const Launch& launch);

// Returns the blocks of a persistent launch: as many as shall be resident on these SMs, but no more than it has to run.
std::uint64_t resident_blocks(const Launch& launch, unsigned sms);
// Returns the launch with these blocks only.
Launch with_blocks(Launch launch, const LaunchBlocks& blocks);

// Fails with unavailable, with the reason, if the kernel has no persistent form for its blocks.
Result<void> check_persistent(const LoadedKernel& kernel);

// Returns a persistent launch of a single kernel. Precondition: it has that form. Fails as slice::persistent_words()
// does.
Result<DevicePart> persistent_part(const LoadedKernel& kernel, const Launch& launch, std::uint64_t resident,
                                   const slice::Progress& progress);

// The way in which a resident block fetches logical blocks.
struct Fetching {
  std::uint32_t chunk = 1;  // number of blocks at a time
  bool ahead = false;       // whether it fetches the next ones while the last one of these runs
};

// Returns how a launch fetches. A chunk has the blocks that run for `chunk_time`, by the time of the grid alone on
// `sms` SMs, but enough to keep the fetches of all resident blocks apart. Each block must fetch at least eight times,
// or they would not end together. Short chunks are fetched ahead: long ones do not notice a fetch, and without it end
// sooner when stopped. A chunk is 1 if the time alone is unknown.
Fetching fetching_of(const KernelTraits& traits, const Launch& launch, unsigned sms, std::uint64_t resident,
                     Nanoseconds chunk_time);

}  // namespace wattune::schedule
