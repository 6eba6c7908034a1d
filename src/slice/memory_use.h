// Finds which memories an instruction reads and writes, by its opcode and modifiers.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

enum class MemoryUse : std::uint8_t {
  reads_device,  // reads device memory that other blocks may write meanwhile, into a register or into shared memory
  reads_shared,
  writes_shared,
  reads_local,
  writes_local,
  ends_thread,  // `exit`
};

using MemoryUses = std::bitset<6>;  // by MemoryUse

inline bool contains(const MemoryUses& uses, MemoryUse use) { return uses[static_cast<std::size_t>(use)]; }

// Returns the uses of an instruction. A generic address may refer to any memory. Calls are not covered; they have the
// uses of their callees.
MemoryUses memory_uses_of(const PtxInstruction& instruction);

// Tells whether an instruction's address does not name its memory.
bool is_generic(const PtxInstruction& instruction);
// Returns all possible uses of variables in shared or in local memory.
MemoryUses uses_of_space(PtxSpace space);

// Returns the uses of a function whose code is not in the module. The driver's own functions wait for no other block.
MemoryUses memory_uses_of_foreign(std::string_view function);

// Tells whether the driver provides the function's code.
bool is_drivers_function(std::string_view function);

// Tells whether an instruction writes its first operand. Not meant for calls.
bool writes_first_operand(const PtxInstruction& instruction);

}  // namespace wattune::slice
