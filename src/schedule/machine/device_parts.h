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

// Returns a launch of the kernel's twin of this form, with this grid and these words (slice_words.h). Precondition: the
// twin exists.
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
  std::uint64_t first = 0;  // number of the first block within the launch
  std::uint64_t count = 0;
};
// Divides a range of blocks among the launches of a sequence that have them, in order. Returns one entry for a single
// kernel.
std::vector<LaunchBlocks> blocks_by_launch(const LoadedKernel& kernel, std::uint64_t first, std::uint64_t count);

// Returns the launches for the whole grid or a part of it, in any form but persistent. There is one part for each
// launch of a sequence, or several if the device can only run boxes of the grid. Fails with unavailable and the reason
// if the kernel cannot be cut.
Result<std::vector<DevicePart>> parts_of(const LoadedKernel& kernel, const Launch& launch);

// Returns the number of blocks of a persistent launch: as many as shall be resident on these SMs, but no more than the
// launch has to run.
std::uint64_t resident_blocks(const Launch& launch, unsigned sms);
// Returns the launch reduced to these blocks.
Launch with_blocks(Launch launch, const LaunchBlocks& blocks);

// Checks that the kernel has a persistent form for its blocks. Fails with unavailable and the reason if it has none.
Result<void> check_persistent(const LoadedKernel& kernel);

// Returns a persistent launch of a single kernel. Precondition: the kernel has that form. Fails as
// slice::persistent_words() does.
Result<DevicePart> persistent_part(const LoadedKernel& kernel, const Launch& launch, std::uint64_t resident,
                                   const slice::Progress& progress);

// The way in which a resident block fetches logical blocks.
struct Fetching {
  std::uint32_t chunk = 1;  // number of blocks that it fetches at a time
  bool ahead = false;       // true if it fetches the next chunk while the last block of the present one runs
};

// Returns how a launch fetches. A chunk has as many blocks as run for `chunk_time`, by the time of the grid alone on
// `sms` SMs. It has more if the fetches of all resident blocks would otherwise come too close together. Each resident
// block must fetch at least eight times, or they would not end together. Only short chunks are fetched ahead: in long
// ones the time of a fetch does not matter, and without fetching ahead they stop sooner. A chunk is 1 if the time alone
// is unknown.
Fetching fetching_of(const KernelTraits& traits, const Launch& launch, unsigned sms, std::uint64_t resident,
                     Nanoseconds chunk_time);

}  // namespace wattune::schedule
