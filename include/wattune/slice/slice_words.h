// What a launch tells a twin: the words that are its last kernel argument, and the slices of a grid.
//
// A twin (twins.h) takes the arguments of its kernel and one more, a structure of words that says which blocks of the
// whole grid the launch runs. These are the structures, laid out as the twin reads them, and the functions that fill
// them. Pure functions of values; any thread may call.
//
//   WATTUNE_ASSIGN(const auto boxes, slice::boxes({.x = 1000, .y = 8}, 528));
//   for (const slice::Box& box : boxes) { auto words = slice::add_words(grid, box);  launch(twin, box.size, &words); }
//   WATTUNE_ASSIGN(auto words, slice::persistent_words(grid, {.counter = address, .stop = address + 8, .chunk = 4}));
#pragma once

#include <cstdint>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::slice {

// Blocks along three axes.
struct Grid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  bool operator==(const Grid&) const = default;
};

// A part of a grid that is one launch of an `add` twin: its grid is `size`.
struct Box {
  Grid origin = {0, 0, 0};
  Grid size;

  bool operator==(const Box&) const = default;
};

// The whole grid in boxes of about `target` blocks, in the order of their blocks: whole planes where the target holds
// one, else whole rows, else parts of a row that are equally long but for one block, so that none has a ragged end.
// invalid_argument: a grid or a target without blocks.
Result<std::vector<Box>> boxes(const Grid& grid, std::uint64_t target);

// A range of block numbers in the fewest boxes, in the order of their blocks: the rest of a row, of a plane, whole
// planes, and as much again at the end. Precondition: the grid has those blocks.
std::vector<Box> boxes_of(const Grid& grid, std::uint64_t first, std::uint64_t blocks);

// n / d of numbers below 2^31 is (n * multiplier) >> shift: Granlund and Montgomery, "Division by Invariant Integers
// using Multiplication", PLDI 1994, theorem 4.2.
struct Divider {
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;
};

// Precondition: 1 <= divisor < 2^31.
Divider divider(std::uint32_t divisor);

struct alignas(8) AddWords {
  Grid origin;
  Grid grid;  // the whole one
};

// Blocks are numbered along x first, then y, then z. The launch's grid is {count, 1, 1} from block `first` on.
struct alignas(8) LinearWords {
  std::uint32_t first = 0;
  Grid grid;
  Divider by_x;
  Divider by_y;
};

// The launch's grid is the whole one; blocks outside first to end - 1 leave at once.
struct alignas(8) GuardWords {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// The launch's grid is {resident blocks, 1, 1}, as many as shall share the GPU.
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

AddWords add_words(const Grid& grid, const Box& box);

// The functions below: invalid_argument where the grid has 2^31 blocks or more, or none.
Result<LinearWords> linear_words(const Grid& grid, std::uint64_t first);
Result<GuardWords> guard_words(const Grid& grid, std::uint64_t first, std::uint64_t end);

// What a persistent twin and its host share in device memory, and how many blocks are taken at a time.
struct Progress {
  // Address of a std::uint64_t: the first block that nobody has taken. The host sets it to 0; after the launch has
  // ended all blocks below it are done, so that the same value resumes. It may end above the number of blocks.
  std::uint64_t counter = 0;
  // Address of a std::uint32_t: once that is seen to be not 0, no more blocks are taken; those taken are finished.
  std::uint64_t stop = 0;
  // One atomic operation takes so many blocks; each resident block ends after as many at most when `stop` is set. At
  // least 1; more than 65,536 are 65,536.
  std::uint32_t chunk = 1;
  // The next chunk is taken while the last block of one runs, so that no block waits for it; up to three chunks end
  // after `stop` is set.
  bool ahead = false;
};

// Also invalid_argument: an address that is 0 or not aligned, or a chunk of 0.
Result<PersistentWords> persistent_words(const Grid& grid, const Progress& progress);

}  // namespace wattune::slice
