#include "slice/interface/slice_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 31;
// The largest chunk. Twins add chunks to the lower 32 bits of the counter, which must not overflow. With this limit,
// they do not overflow although resident blocks take chunks past the grid's end.
constexpr std::uint32_t kLongestChunk = 1U << 16;

std::string text_of(const Grid& grid) { return fmt::format("{} x {} x {}", grid.x, grid.y, grid.z); }

// Returns the number of blocks of the grid. The number is limited to the largest 64-bit number, because the product of
// three 32-bit numbers can exceed it.
std::uint64_t blocks_in(const Grid& grid) {
  const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
  return grid.z != 0 && plane > ~std::uint64_t{0} / grid.z ? ~std::uint64_t{0} : plane * grid.z;
}

Error refused_grid(std::string message, const Grid& grid) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(text_of(grid));
}

Result<std::uint32_t> countable_blocks(const Grid& grid) {
  const std::uint64_t blocks = blocks_in(grid);
  if (blocks == 0) return refused_grid("a grid without blocks", grid);
  if (blocks >= kMostBlocks) return refused_grid("a grid of 2^31 blocks or more", grid).hint("slice it by boxes");
  return static_cast<std::uint32_t>(blocks);
}

// Divides `length` into parts of about `target`, whose lengths differ by at most one. Each part is given as (begin,
// size).
std::vector<std::pair<std::uint32_t, std::uint32_t>> even_parts(std::uint32_t length, std::uint64_t target) {
  const std::uint64_t count = (length + target - 1) / target;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::uint32_t>(i * length / count);
    const auto end = static_cast<std::uint32_t>((i + 1) * length / count);
    parts.emplace_back(begin, end - begin);
  }
  return parts;
}

std::vector<Box> boxes_of_planes(const Grid& grid, std::uint64_t planes) {
  std::vector<Box> all;
  for (const auto& [z, size] : even_parts(grid.z, planes)) all.push_back({{0, 0, z}, {grid.x, grid.y, size}});
  return all;
}

std::vector<Box> boxes_of_rows(const Grid& grid, std::uint64_t rows) {
  std::vector<Box> all;
  for (std::uint32_t z = 0; z < grid.z; ++z)
    for (const auto& [y, size] : even_parts(grid.y, rows)) all.push_back({{0, y, z}, {grid.x, size, 1}});
  return all;
}

std::vector<Box> boxes_in_rows(const Grid& grid, std::uint64_t blocks) {
  std::vector<Box> all;
  for (std::uint32_t z = 0; z < grid.z; ++z)
    for (std::uint32_t y = 0; y < grid.y; ++y)
      for (const auto& [x, size] : even_parts(grid.x, blocks)) all.push_back({{x, y, z}, {size, 1, 1}});
  return all;
}

bool is_aligned(std::uint64_t address, std::uint64_t bytes) { return address != 0 && address % bytes == 0; }

}  // namespace

std::vector<Box> boxes_of(const Grid& grid, std::uint64_t first, std::uint64_t blocks) {
  const std::uint64_t row = grid.x;
  const std::uint64_t plane = row * grid.y;
  const auto least = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(std::min(a, b)); };
  std::vector<Box> all;
  for (const std::uint64_t end = first + blocks; first < end; first += blocks_in(all.back().size)) {
    const std::uint64_t left = end - first;
    const std::uint64_t x = first % row;
    const std::uint64_t y = first / row % grid.y;
    Box& box = all.emplace_back(
        Box{{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(first / plane)},
            {grid.x, 1, 1}});
    if (x > 0 || left < row)
      box.size.x = least(row - x, left);
    else if (y > 0 || left < plane)
      box.size.y = least(grid.y - y, left / row);
    else
      box.size = {grid.x, grid.y, static_cast<std::uint32_t>(left / plane)};
  }
  return all;
}

Result<std::vector<Box>> boxes(const Grid& grid, std::uint64_t target) {
  if (blocks_in(grid) == 0) return refused_grid("a grid without blocks", grid);
  if (target == 0) return Error(ErrorCode::invalid_argument, "slices of 0 blocks");
  const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
  if (target >= plane) return boxes_of_planes(grid, target / plane);
  if (target >= grid.x) return boxes_of_rows(grid, target / grid.x);
  return boxes_in_rows(grid, target);
}

// Computes the constants for d = divisor. With s = ceil(log2 d) and m = floor(2^(31+s) / d) + 1, m * d exceeds 2^(31+s)
// by at most d <= 2^s. For n < 2^31 this error cannot reach the next quotient. m fits in 32 bits because d > 2^(s-1).
Divider divider(std::uint32_t divisor) {
  const auto shift = static_cast<std::uint32_t>(31 + std::bit_width(divisor - 1));
  return {static_cast<std::uint32_t>((std::uint64_t{1} << shift) / divisor + 1), shift};
}

AddWords add_words(const Grid& grid, const Box& box) { return {box.origin, grid}; }

Result<LinearWords> linear_words(const Grid& grid, std::uint64_t first) {
  WATTUNE_ASSIGN(const std::uint32_t blocks, countable_blocks(grid));
  if (first >= blocks) return refused_grid(fmt::format("there is no block {} in this grid", first), grid);
  return LinearWords{static_cast<std::uint32_t>(first), grid, divider(grid.x), divider(grid.y)};
}

Result<GuardWords> guard_words(const Grid& grid, std::uint64_t first, std::uint64_t end) {
  WATTUNE_ASSIGN(const std::uint32_t blocks, countable_blocks(grid));
  if (first >= end || end > blocks)
    return refused_grid(fmt::format("there are no blocks {} to {} in this grid", first, end), grid);
  return GuardWords{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end)};
}

Result<PersistentWords> persistent_words(const Grid& grid, const Progress& progress) {
  WATTUNE_ASSIGN(const std::uint32_t blocks, countable_blocks(grid));
  if (!is_aligned(progress.counter, alignof(std::uint64_t)))
    return Error(ErrorCode::invalid_argument, "the counter is a word of 8 bytes in device memory")
        .about(fmt::format("{:#x}", progress.counter));
  if (!is_aligned(progress.stop, alignof(std::uint32_t)))
    return Error(ErrorCode::invalid_argument, "the stop word is one of 4 bytes in device memory")
        .about(fmt::format("{:#x}", progress.stop));
  if (progress.chunk == 0) return Error(ErrorCode::invalid_argument, "chunks of 0 blocks");
  return PersistentWords{.counter = progress.counter,
                         .stop = progress.stop,
                         .blocks = blocks,
                         .chunk = std::min(progress.chunk, kLongestChunk),
                         .grid = grid,
                         .ahead = progress.ahead ? 1U : 0U,
                         .by_x = divider(grid.x),
                         .by_y = divider(grid.y)};
}

}  // namespace wattune::slice
