// Which memories an instruction reads and writes, by its opcode and modifiers.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

enum class MemoryUse : std::uint8_t {
  reads_device,  // device memory that other blocks may write meanwhile, into a register or into shared memory
  reads_shared,
  writes_shared,
  reads_local,
  writes_local,
  ends_thread,  // `exit`
};

using MemoryUses = std::bitset<6>;  // by MemoryUse

inline bool contains(const MemoryUses& uses, MemoryUse use) { return uses[static_cast<std::size_t>(use)]; }

// Generic addresses may be of any memory. Not of calls, which do what their callees do.
MemoryUses memory_uses_of(const PtxInstruction& instruction);

// Whether an instruction's address says nothing of its memory.
bool is_generic(const PtxInstruction& instruction);
// All that may happen in variables of shared or of local memory.
MemoryUses uses_of_space(PtxSpace space);

// A function whose code is elsewhere; the driver's own wait for nobody.
MemoryUses memory_uses_of_foreign(std::string_view function);

// Whose code the driver has.
bool is_drivers_function(std::string_view function);

// Whether an instruction's first operand is what it writes; calls are not asked.
bool writes_first_operand(const PtxInstruction& instruction);

}  // namespace wattune::slice
