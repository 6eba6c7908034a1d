#include "schedule/machine/device_parts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace wattune::inline v0_1::schedule {

namespace {

using slice::TwinForm;

Error no_form(const LoadedKernel& kernel, std::string_view form, const std::string& why) {
  return Error(ErrorCode::unavailable, kernel.name + " has no " + std::string(form)).about(why);
}

DevicePart part_from_group(const LoadedKernel& kernel, const slice::Box& box) {
  DevicePart part{kernel.code->from_group.get(), kernel.geometry, kernel.arguments};
  part.geometry.groups = {box.size.x, box.size.y, box.size.z};
  part.geometry.first_group = {box.origin.x, box.origin.y, box.origin.z};
  return part;
}

Result<DevicePart> linear_part(const LoadedKernel& kernel, const slice::Grid& grid, const Launch& launch) {
  WATTUNE_ASSIGN(const slice::LinearWords words, slice::linear_words(grid, launch.first_block));
  return twin_part(kernel, TwinForm::linear, {static_cast<std::uint32_t>(launch.blocks), 1, 1}, words);
}

// Returns the launches of a slice of one launch. If a single box is enough, the twin `add` is used, because adding
// costs less than dividing.
Result<std::vector<DevicePart>> slice_parts(const LoadedKernel& kernel, const slice::Grid& grid, const Launch& launch) {
  const KernelCode& code = *kernel.code;
  const std::vector<slice::Box> boxes = slice::boxes_of(grid, launch.first_block, launch.blocks);
  const bool adds = code.twin(TwinForm::add) != nullptr;
  std::vector<DevicePart> parts;
  if (code.twin(TwinForm::linear) != nullptr && (!adds || boxes.size() > 1)) {
    WATTUNE_ASSIGN(parts.emplace_back(), linear_part(kernel, grid, launch));
    return parts;
  }
  for (const slice::Box& box : boxes)
    parts.push_back(adds ? twin_part(kernel, TwinForm::add, box.size, slice::add_words(grid, box))
                         : part_from_group(kernel, box));
  return parts;
}

bool is_whole_grid(const slice::Grid& grid, const LaunchBlocks& blocks) {
  return blocks.first == 0 && blocks.count == std::uint64_t{grid.x} * grid.y * grid.z;
}

}  // namespace

std::vector<LaunchBlocks> blocks_by_launch(const LoadedKernel& kernel, std::uint64_t first, std::uint64_t count) {
  std::vector<LaunchBlocks> all;
  std::uint64_t before = 0;  // number of blocks of the launches so far
  for (std::size_t place = 0; place < launches_in(kernel) && before < first + count; ++place) {
    const LoadedKernel& launch = launch_at(kernel, place);
    const slice::Grid grid = grid_of(launch.geometry);
    const std::uint64_t end = before + std::uint64_t{grid.x} * grid.y * grid.z;
    const std::uint64_t begin = std::max(before, first);
    if (begin < end) all.push_back({&launch, begin - before, std::min(end, first + count) - begin});
    before = end;
  }
  return all;
}

Launch with_blocks(Launch launch, const LaunchBlocks& blocks) {
  launch.first_block = blocks.first;
  launch.blocks = blocks.count;
  return launch;
}

Result<std::vector<DevicePart>> parts_of(const LoadedKernel& kernel, const Launch& launch) {
  std::vector<DevicePart> parts;
  for (const LaunchBlocks& blocks : blocks_by_launch(kernel, launch.first_block, launch.blocks)) {
    const LoadedKernel& one = *blocks.launch;
    const slice::Grid grid = grid_of(one.geometry);
    if (is_whole_grid(grid, blocks)) {
      parts.push_back({one.code->whole.get(), one.geometry, one.arguments});
      continue;
    }
    if (const std::string why = why_no_slices(kernel); !why.empty()) return no_form(kernel, "slices", why);
    WATTUNE_ASSIGN(std::vector<DevicePart> slices, slice_parts(one, grid, with_blocks(launch, blocks)));
    std::ranges::move(slices, std::back_inserter(parts));
  }
  return parts;
}

std::uint64_t resident_blocks(const Launch& launch, unsigned sms) {
  return std::min<std::uint64_t>(launch.blocks, std::uint64_t{launch.per_sm} * sms);
}

Result<void> check_persistent(const LoadedKernel& kernel) {
  const std::string why = why_not_persistent(kernel);
  if (why.empty()) return {};
  return no_form(kernel, "persistent form", why);
}

Result<DevicePart> persistent_part(const LoadedKernel& kernel, const Launch& launch, std::uint64_t resident,
                                   const slice::Progress& progress) {
  WATTUNE_ASSIGN(slice::PersistentWords words, slice::persistent_words(grid_of(kernel.geometry), progress));
  words.blocks = static_cast<std::uint32_t>(launch.first_block + launch.blocks);
  return twin_part(kernel, TwinForm::persistent, {static_cast<std::uint32_t>(resident), 1, 1}, words);
}

Fetching fetching_of(const KernelTraits& traits, const Launch& launch, unsigned sms, std::uint64_t resident,
                     Nanoseconds chunk_time) {
  constexpr double kLeastFetchesPerBlock = 8.0;  // least number of fetches of each resident block
  // Least time from one fetch to the next, over all blocks together. On Hopper, fetches that are only 3 ns apart queue
  // up.
  constexpr Nanoseconds kFetchInterval{10.0};
  constexpr Nanoseconds kLongestFetchedChunk{50e3};  // longest time of a chunk that is fetched ahead
  if (!traits.alone || resident == 0) return {};
  const auto blocks = static_cast<double>(traits.blocks);
  const auto at_once = std::min(blocks, static_cast<double>(traits.profile.blocks_alone) * sms);
  const Nanoseconds block_time = *traits.alone * at_once / blocks;
  const double most = static_cast<double>(launch.blocks) / (kLeastFetchesPerBlock * static_cast<double>(resident));
  const double wanted = std::max(chunk_time / block_time, kFetchInterval * blocks / *traits.alone);
  const double chunk = std::max(1.0, std::min(std::ceil(wanted), std::floor(most)));
  // With fewer blocks at once, each waits less for the others. So the time of a block shrinks at most in proportion.
  const Nanoseconds fewer_at_once = *traits.alone * std::min(at_once, static_cast<double>(resident)) / blocks;
  return {.chunk = static_cast<std::uint32_t>(chunk), .ahead = chunk * fewer_at_once <= kLongestFetchedChunk};
}

}  // namespace wattune::schedule
