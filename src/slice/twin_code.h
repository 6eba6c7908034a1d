// The instructions that twins begin and end with.
#pragma once

#include <string>

#include "slice/body_patch.h"
#include "slice/coordinates.h"

namespace wattune::inline v0_1::slice {

// The steps that separate the blocks that a persistent twin runs one after another.
struct Boundary {
  bool reuses_shared = false;       // all threads must have finished with its shared memory before the next block
  bool votes = false;               // threads that have returned still take part in the barriers of the others
  bool awaits_copies = false;       // cp.async may still write its shared memory
  bool awaits_bulk_copies = false;  // cp.async.bulk may still read it
  unsigned barrier = 0;             // the number of the barrier at which all threads of the block meet
};

// Returns the name of the appended parameter.
std::string words_name();
// Returns the declaration of the appended parameter.
std::string words_declaration(std::size_t bytes);

// Returns the code that loads a coordinate in an `add` twin. The two functions below are for the other forms.
LoadCoordinate add_loads();
LoadCoordinate linear_loads();
LoadCoordinate persistent_loads();

// Returns the code at the beginning of a twin's body. `set` has all coordinates that the twin needs.
std::string linear_prologue(const CoordinateSet& set);
std::string guard_prologue();
std::string persistent_prologue(const CoordinateSet& set, const Boundary& boundary);
std::string persistent_epilogue(const Boundary& boundary);

// Shared memory that the prologue of a persistent twin declares.
inline constexpr std::size_t kTakenBytes = 16;

// Returns the label to which a persistent twin branches in place of returning.
std::string end_of_block_label();

}  // namespace wattune::slice
