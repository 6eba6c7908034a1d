// Finds which memories an instruction reads and writes, from its opcode and modifiers.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

enum class MemoryUse : std::uint8_t {
  reads_device,  // reads device memory that other blocks may write at the same time
  reads_shared,
  writes_shared,
  reads_local,
  writes_local,
  ends_thread,  // the instruction is `exit`
};

using MemoryUses = std::bitset<6>;  // one bit for each MemoryUse

inline bool contains(const MemoryUses& uses, MemoryUse use) { return uses[static_cast<std::size_t>(use)]; }

// Returns which memories an instruction uses. A generic address may refer to any memory. Precondition: the instruction
// is not a call, because the uses of a call are those of its callee.
MemoryUses memory_uses_of(const PtxInstruction& instruction);

// True if the instruction accesses memory by a generic address.
bool is_generic(const PtxInstruction& instruction);
// Returns the uses that are reads and writes of the space, which is shared or local memory.
MemoryUses uses_of_space(PtxSpace space);

// Returns which memories a function uses whose code is not in the module. Functions that the driver provides count as
// not waiting for other blocks.
MemoryUses memory_uses_of_foreign(std::string_view function);

// True if the driver provides the function's code.
bool is_drivers_function(std::string_view function);

// True if an instruction writes its first operand. Precondition: it is not a call.
bool writes_first_operand(const PtxInstruction& instruction);

}  // namespace wattune::slice
