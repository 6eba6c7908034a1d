// The words that a launch passes to a twin as its last kernel argument, and the slices of a grid.
//
// A twin (twins.h) takes the arguments of its kernel and one more: a structure of words that tells which blocks of the
// whole grid the launch runs. This header declares these structures, laid out as the twin reads them, and the functions
// that fill them. Pure functions of values; any thread may call.
//
//   WATTUNE_ASSIGN(const auto boxes, slice::boxes({.x = 1000, .y = 8}, 528));
//   for (const slice::Box& box : boxes) { auto words = slice::add_words(grid, box);  launch(twin, box.size, &words); }
//   WATTUNE_ASSIGN(auto words, slice::persistent_words(grid, {.counter = address, .stop = address + 8, .chunk = 4}));
#pragma once

#include <cstdint>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::slice {

// Blocks along three axes.
struct Grid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  bool operator==(const Grid&) const = default;
};

// A part of a grid that one launch of an `add` twin runs. The launch's grid is `size`.
struct Box {
  Grid origin = {0, 0, 0};
  Grid size;

  bool operator==(const Box&) const = default;
};

// Cuts the whole grid into boxes of about `target` blocks, in the order of their blocks. The boxes are whole planes if
// the target holds one, else whole rows, else parts of a row. Their lengths differ by at most one, so that none has a
// ragged end. Fails with invalid_argument if the grid or the target has no blocks.
Result<std::vector<Box>> boxes(const Grid& grid, std::uint64_t target);

// Covers a range of block numbers with the fewest boxes, in the order of their blocks. They are the rest of a row, the
// rest of a plane, whole planes, and the same at the end. Precondition: the grid has those blocks.
std::vector<Box> boxes_of(const Grid& grid, std::uint64_t first, std::uint64_t blocks);

// The constants of a division: n / d of numbers below 2^31 is (n * multiplier) >> shift. Source: Granlund and
// Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, theorem 4.2.
struct Divider {
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;
};

// Returns the constants for a divisor. Precondition: 1 <= divisor < 2^31.
Divider divider(std::uint32_t divisor);

// The words of an `add` twin.
struct alignas(8) AddWords {
  Grid origin;
  Grid grid;  // of the whole kernel
};

// The words of a `linear` twin. Blocks are numbered along x first, then y, then z. The launch's grid is {count, 1, 1},
// from block `first` on.
struct alignas(8) LinearWords {
  std::uint32_t first = 0;
  Grid grid;
  Divider by_x;
  Divider by_y;
};

// The words of a `guard` twin. The launch's grid is the whole one. Blocks outside first to end - 1 return at once.
struct alignas(8) GuardWords {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// The words of a `persistent` twin. The launch's grid is {resident blocks, 1, 1}, with as many blocks as shall share
// the GPU.
struct alignas(8) PersistentWords {
  std::uint64_t counter = 0;
  std::uint64_t stop = 0;
  std::uint32_t blocks = 0;
  std::uint32_t chunk = 0;
  Grid grid;
  std::uint32_t ahead = 0;
  Divider by_x;
  Divider by_y;
};

// Returns the words of the launch that runs this box of the grid.
AddWords add_words(const Grid& grid, const Box& box);

// Returns the words of a launch. All three functions fail with invalid_argument if the grid has no blocks or 2^31 or
// more, or the blocks of the range are not in the grid.
Result<LinearWords> linear_words(const Grid& grid, std::uint64_t first);
Result<GuardWords> guard_words(const Grid& grid, std::uint64_t first, std::uint64_t end);

// The memory that a persistent twin and its host share on the device, and the number of blocks taken at a time.
struct Progress {
  // Address of a std::uint64_t, the number of the first block that is not yet taken. The host sets it to 0. After the
  // launch has ended, all blocks below it are done, so that a launch with the same value resumes. It may end above the
  // number of blocks.
  std::uint64_t counter = 0;
  // Address of a std::uint32_t. When resident blocks see it nonzero, they take no more blocks, but finish those that
  // are taken.
  std::uint64_t stop = 0;
  // Blocks that one atomic operation takes. After `stop` is set, each resident block runs at most as many. At least 1;
  // more than 65,536 count as 65,536.
  std::uint32_t chunk = 1;
  // True if the next chunk is taken while the last block of the current one runs, so that no block waits for it. Up to
  // three chunks are then finished after `stop` is set.
  bool ahead = false;
};

// Returns the words for this progress. Also fails with invalid_argument if an address is 0 or not aligned, or the chunk
// is 0.
Result<PersistentWords> persistent_words(const Grid& grid, const Progress& progress);

}  // namespace wattune::slice
