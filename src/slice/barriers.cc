#include "slice/barriers.h"

namespace wattune::inline v0_1::slice {

bool is_block_barrier(const PtxInstruction& instruction) {
  return (instruction.opcode == "bar" || instruction.opcode == "barrier") && !instruction.has("warp") &&
         !instruction.has("cluster");
}

// Accepts the forms bar.red d, a{, b}, p; bar.sync a{, b}; and bar.arrive a, b.
const PtxOperand* barrier_number(const PtxInstruction& barrier) {
  const std::size_t at = barrier.has("red") ? 1 : 0;
  return barrier.operands.size() > at ? &barrier.operands[at] : nullptr;
}

bool counts_threads(const PtxInstruction& barrier) { return barrier.operands.size() == (barrier.has("red") ? 4u : 2u); }

bool is_block_wide_barrier(const PtxInstruction& instruction) {
  return is_block_barrier(instruction) && instruction.has("sync") && !counts_threads(instruction);
}

const PtxOperand* awaited_lanes(const PtxInstruction& instruction) {
  const bool by_mask = instruction.opcode == "shfl" || instruction.opcode == "vote" || instruction.opcode == "match" ||
                       instruction.opcode == "redux" || instruction.opcode == "elect" ||
                       (instruction.opcode == "bar" && instruction.has("warp"));
  if (!by_mask || !instruction.has("sync") || instruction.operands.empty()) return nullptr;
  return &instruction.operands.back();
}

bool finds_living_lanes(const PtxInstruction& instruction) {
  return instruction.opcode == "activemask" || instruction.opcode == "match" ||
         (instruction.opcode == "vote" && instruction.has("ballot"));
}

}  // namespace wattune::slice
