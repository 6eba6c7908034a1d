// The instructions that twins begin and end with.
#pragma once

#include <string>

#include "slice/body_patch.h"
#include "slice/coordinates.h"

namespace wattune::slice {

// How the blocks that a persistent twin runs one after another keep apart.
struct Boundary {
  bool reuses_shared = false;       // its shared memory must be let go by all threads before the next block
  bool votes = false;               // threads that have returned go on meeting those that have not at their barriers
  bool awaits_copies = false;       // cp.async that may still write its shared memory
  bool awaits_bulk_copies = false;  // cp.async.bulk that may still read it
  unsigned barrier = 0;             // which all threads of the block meet at
};

// The name and the declaration of the appended parameter.
std::string words_name();
std::string words_declaration(std::size_t bytes);

// Where a coordinate comes from in each form; `set` has all that the twin needs.
LoadCoordinate add_loads();
LoadCoordinate linear_loads();
LoadCoordinate persistent_loads();

std::string linear_prologue(const CoordinateSet& set);
std::string guard_prologue();
std::string persistent_prologue(const CoordinateSet& set, const Boundary& boundary);
std::string persistent_epilogue(const Boundary& boundary);

// Shared memory that the prologue of a persistent twin declares.
inline constexpr std::size_t kTakenBytes = 16;

// Where returns of a persistent twin go.
std::string end_of_block_label();

}  // namespace wattune::slice
