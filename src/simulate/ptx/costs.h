// Determines the cost of an instruction: the unit that executes it, and its access to memory.
#pragma once

#include <cstdint>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::simulate::ptx {

class Warp;
struct Operation;

// The units: the pipes in the order of Pipe, then `scheduler` for instructions that take only an issue slot, and
// `nothing`.
enum class Unit : std::uint8_t { fp32, integer, special, fp64, tensor, memory, scheduler, nothing };

enum class Access : std::uint8_t { none, load, store, atomic, copy };

struct Cost {
  Unit unit = Unit::scheduler;
  Access access = Access::none;
  bool is_barrier = false;  // true for a barrier of the block
};

// Returns the cost of an instruction, by its opcode and modifiers. The instruction need not be decoded.
Cost cost_of(const slice::PtxInstruction& instruction);

// Adds the cost of an operation, which these lanes of the warp are about to run, to the costs of its launch.
void note_costs(Warp& warp, const Operation& operation, std::uint32_t lanes);

}  // namespace wattune::simulate::ptx
