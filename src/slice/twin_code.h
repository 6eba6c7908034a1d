// Writes the PTX at the beginning and at the end of twins.
#pragma once

#include <string>

#include "slice/body_patch.h"
#include "slice/coordinates.h"

namespace wattune::inline v0_1::slice {

// The steps of a persistent twin between two blocks that it runs one after the other.
struct Boundary {
  bool reuses_shared = false;       // true if the next block must wait until no thread uses shared memory
  bool votes = false;               // true if threads that have returned still take part in the barriers of the others
  bool awaits_copies = false;       // true if cp.async may still write the block's shared memory
  bool awaits_bulk_copies = false;  // true if cp.async.bulk may still read the block's shared memory
  unsigned barrier = 0;             // number of the barrier at which all threads of the block wait
};

// Returns the name of the parameter that is added to a twin.
std::string words_name();
// Returns the declaration of the parameter that is added to a twin.
std::string words_declaration(std::size_t bytes);

// Returns a function that writes the PTX to load a coordinate in an `add` twin. The two functions below are for
// `linear` and `persistent` twins.
LoadCoordinate add_loads();
LoadCoordinate linear_loads();
LoadCoordinate persistent_loads();

// Returns the PTX with which the body of a `linear` twin begins. `set` has all coordinates that the twin needs. The
// functions below are for the other forms.
std::string linear_prologue(const CoordinateSet& set);
std::string guard_prologue();
std::string persistent_prologue(const CoordinateSet& set, const Boundary& boundary);
std::string persistent_epilogue(const Boundary& boundary);

// Size in bytes of the shared memory that the prologue of a persistent twin declares.
inline constexpr std::size_t kTakenBytes = 16;

// Returns the label to which a persistent twin branches instead of returning.
std::string end_of_block_label();

}  // namespace wattune::slice
