// The lanes that a ballot names, at a branch behind it.
#pragma once

#include <cstdint>
#include <optional>

#include "slice/function_body.h"

namespace wattune::inline v0_1::slice {

// Returns the successor of a block of code to which all lanes go that a ballot in this block names. Then no such lane
// returns on another way. Returns nullopt if the instruction is no such ballot. Also returns nullopt if the block does
// not end with a branch on the ballot's predicate or on its complement.
std::optional<std::uint32_t> way_of_ballot(const FunctionBody& body, std::uint32_t block, std::uint32_t ballot);

}  // namespace wattune::slice
