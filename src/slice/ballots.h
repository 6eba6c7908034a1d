// Finds the side of a branch to which all lanes in the mask of a ballot go.
#pragma once

#include <cstdint>
#include <optional>

#include "slice/function_body.h"

namespace wattune::inline v0_1::slice {

// Returns the successor of a basic block to which all lanes go that are in the mask of a vote.ballot in this block.
// Then no lane of the mask returns on the other path. Returns nullopt if the instruction is not such a ballot, or if
// the block does not end with a branch on the ballot's predicate or on its complement.
std::optional<std::uint32_t> way_of_ballot(const FunctionBody& body, std::uint32_t block, std::uint32_t ballot);

}  // namespace wattune::slice
