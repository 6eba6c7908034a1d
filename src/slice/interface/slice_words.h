// Computes the slices of a grid, and the words that a launch passes to a twin as its last kernel argument.
//
// A twin (twins.h) takes the arguments of its kernel and one more: a structure of words, which says which blocks of the
// whole grid the launch runs. This header declares these structures, with the layout that twins read, and functions
// that fill them. All functions are pure functions of values, and any thread may call them.
//
//   WATTUNE_ASSIGN(const auto boxes, slice::boxes({.x = 1000, .y = 8}, 528));
//   for (const slice::Box& box : boxes) { auto words = slice::add_words(grid, box);  launch(twin, box.size, &words); }
//   WATTUNE_ASSIGN(auto words, slice::persistent_words(grid, {.counter = address, .stop = address + 8, .chunk = 4}));
#pragma once

#include <cstdint>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::slice {

// Numbers of blocks along three axes.
struct Grid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  bool operator==(const Grid&) const = default;
};

// A part of a grid that one launch of an `add` twin runs, with `size` as its grid.
struct Box {
  Grid origin = {0, 0, 0};
  Grid size;

  bool operator==(const Box&) const = default;
};

// Cuts the whole grid into boxes of about `target` blocks, in the order of their blocks. The boxes consist of whole
// planes if `target` is at least the size of a plane. Otherwise they consist of whole rows if it is at least the size
// of a row, and else they are parts of a row. Their lengths differ by at most one. Fails with invalid_argument if the
// grid has no blocks or `target` is 0.
Result<std::vector<Box>> boxes(const Grid& grid, std::uint64_t target);

// Returns the fewest boxes that cover a range of block numbers, in the order of their blocks: the rest of a row, the
// rest of a plane, whole planes, then whole rows and a part of a row. Precondition: the grid has those blocks.
std::vector<Box> boxes_of(const Grid& grid, std::uint64_t first, std::uint64_t blocks);

// The constants of a division by multiplication: n / d = (n * multiplier) >> shift, for numbers below 2^31. Source:
// Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, theorem 4.2.
struct Divider {
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;
};

// Returns the constants of a division by `divisor`. Precondition: 1 <= divisor < 2^31.
Divider divider(std::uint32_t divisor);

// The words of an `add` twin.
struct alignas(8) AddWords {
  Grid origin;
  Grid grid;  // grid of the whole kernel launch
};

// The words of a `linear` twin. Blocks are numbered along x first, then y, then z. The launch's grid is {count, 1, 1};
// it runs `count` blocks from block `first` on.
struct alignas(8) LinearWords {
  std::uint32_t first = 0;
  Grid grid;
  Divider by_x;
  Divider by_y;
};

// The words of a `guard` twin. The launch's grid is the whole grid. Blocks whose number is less than `first`, or at
// least `end`, return at once.
struct alignas(8) GuardWords {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// The words of a `persistent` twin. The launch's grid is {resident blocks, 1, 1}; the caller chooses how many blocks
// are resident.
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

// Returns the words for a launch that runs this box of the grid.
AddWords add_words(const Grid& grid, const Box& box);

// Returns the words for a launch from block `first` on. This function and the two below fail with invalid_argument if
// the grid has no blocks or 2^31 and more, or if it lacks the blocks of the range.
Result<LinearWords> linear_words(const Grid& grid, std::uint64_t first);
Result<GuardWords> guard_words(const Grid& grid, std::uint64_t first, std::uint64_t end);

// The device memory through which the host controls a persistent twin, and the number of blocks that a resident block
// takes at a time.
struct Progress {
  // Address of a std::uint64_t that holds the number of the first block that is not yet taken. The host sets it to 0
  // before the first launch. After a launch has ended, all blocks below this number are done, so a further launch
  // resumes there. The final value may exceed the number of blocks.
  std::uint64_t counter = 0;
  // Address of a std::uint32_t. If resident blocks read a value other than 0 there, they finish the blocks that they
  // have taken, and take no more.
  std::uint64_t stop = 0;
  // Number of blocks that one atomic operation takes. After `stop` is set, each resident block runs at most this many
  // further blocks. The number is at least 1; values above 65,536 count as 65,536.
  std::uint32_t chunk = 1;
  // True if a resident block takes its next chunk while it runs the last block of its current chunk, to hide the
  // latency. Each resident block may then finish up to three chunks after `stop` is set.
  bool ahead = false;
};

// Returns the words for a persistent launch. Also fails with invalid_argument if an address is 0 or not aligned, or if
// the chunk is 0.
Result<PersistentWords> persistent_words(const Grid& grid, const Progress& progress);

}  // namespace wattune::slice
