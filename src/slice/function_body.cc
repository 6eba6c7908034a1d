#include "slice/function_body.h"

#include <algorithm>

#include "slice/address_origins.h"

namespace wattune::inline v0_1::slice {

FunctionBody::FunctionBody(const PtxFunction& of, const CallGraph& calls)
    : function(of), flow(flow_of(of)), meeting(post_dominators(flow)), variables(of) {
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block)
    block_of.insert(block_of.end(), flow.blocks[block].last - flow.blocks[block].first, block);
  for (const PtxInstruction& instruction : of.instructions) memory.push_back(memory_uses_of(instruction, calls));
  for (const PtxSpace space : {PtxSpace::shared, PtxSpace::local}) narrow_generic_uses(calls, space);
}

// Narrows the uses of memory by generic accesses. If the address of an access is that of a variable in `space`, the
// access does not use device memory.
void FunctionBody::narrow_generic_uses(const CallGraph& calls, PtxSpace space) {
  const bool any = std::ranges::any_of(function.instructions, [](const PtxInstruction& instruction) {
    return instruction.opcode == "cvta" && !instruction.has("to") && !instruction.has("global");
  });
  if (!any) return;
  AddressOrigins origins(function, variables, calls, space);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) origins.set_other_parameter(i);
  origins.follow();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const PtxInstruction& instruction = function.instructions[i];
    const auto address = std::ranges::find(instruction.operands, PtxOperandKind::address, &PtxOperand::kind);
    if (is_generic(instruction) && address != instruction.operands.end() && origins.is_address(*address, instruction))
      memory[i] &= uses_of_space(space);
  }
}

const FunctionBody& FunctionBodies::of(std::string_view name) {
  return bodies_.try_emplace(name, *calls_.functions.at(name).function, calls_).first->second;
}

}  // namespace wattune::slice
