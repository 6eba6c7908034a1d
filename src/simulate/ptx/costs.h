// Costs of an instruction: the unit that executes it and its access to memory.
#pragma once

#include <cstdint>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::simulate::ptx {

class Warp;
struct Operation;

// Pipes in the order of Pipe, then instructions that take only an issue slot, then those that cost nothing.
enum class Unit : std::uint8_t { fp32, integer, special, fp64, tensor, memory, scheduler, nothing };

enum class Access : std::uint8_t { none, load, store, atomic, copy };

struct Cost {
  Unit unit = Unit::scheduler;
  Access access = Access::none;
  bool is_barrier = false;  // a barrier of a block
};

// Returns the cost by opcode and modifiers, so it needs no decoded operation.
Cost cost_of(const slice::PtxInstruction& instruction);

// Adds an operation, which these lanes of the warp are about to run, to the costs of its launch.
void note_costs(Warp& warp, const Operation& operation, std::uint32_t lanes);

}  // namespace wattune::simulate::ptx
