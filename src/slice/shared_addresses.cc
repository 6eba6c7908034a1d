#include "slice/shared_addresses.h"

#include <algorithm>
#include <map>

#include "slice/address_origins.h"
#include "slice/variables.h"

namespace wattune::inline v0_1::slice {

namespace {

bool names_shared(const PtxInstruction& instruction) {
  return std::ranges::any_of(instruction.modifiers,
                             [](std::string_view modifier) { return modifier.starts_with("shared"); });
}

// True if the instruction is `cvta.shared`. Its result is a generic address.
bool makes_generic(const PtxInstruction& instruction) {
  return instruction.opcode == "cvta" && names_shared(instruction) && !instruction.has("to");
}

// Returns the operand with the shared-memory address that an instruction accesses or converts to a generic address.
// Returns nullptr if the instruction does neither.
const PtxOperand* shared_address(const PtxInstruction& instruction) {
  if (!names_shared(instruction) || instruction.operands.empty()) return nullptr;
  if (makes_generic(instruction)) return &instruction.operands.back();
  const bool copies_out = instruction.opcode == "cp" && instruction.modifiers.size() > 2 &&
                          !instruction.modifiers[1].starts_with("shared") && instruction.has("bulk");
  if (copies_out) return nullptr;
  const auto address = std::ranges::find(instruction.operands, PtxOperandKind::address, &PtxOperand::kind);
  return address == instruction.operands.end() ? nullptr : &*address;
}

// The address analyses of all functions of a kernel, connected by the arguments of their calls.
class KernelAddresses {
 public:
  KernelAddresses(const PtxFunction& entry, FunctionBodies& bodies) {
    const CallGraph& calls = bodies.calls();
    for (const std::string_view name : calls.reachable(entry.name)) {
      const PtxFunction& function = *calls.functions.at(name).function;
      if (function.body.empty()) continue;
      const Variables& variables = bodies.of(name).variables;
      AddressOrigins& origins =
          functions_.try_emplace(name, function, variables, calls, PtxSpace::shared).first->second;
      if (!calls.address_taken.contains(name)) continue;
      for (std::size_t i = 0; i < function.parameters.size(); ++i) origins.set_other_parameter(i);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [name, origins] : functions_) {
        changed |= origins.follow();
        changed |= hand_over(origins);
      }
    }
  }

  const PtxInstruction* find() const {
    for (const auto& [name, origins] : functions_)
      for (const PtxInstruction& instruction : origins.function().instructions) {
        const PtxOperand* address = shared_address(instruction);
        if (address != nullptr && !origins.is_address(*address, instruction)) return &instruction;
      }
    return nullptr;
  }

 private:
  // Records, for each callee, the arguments that are not addresses of shared variables. Returns whether any of these
  // arguments was not recorded before.
  bool hand_over(const AddressOrigins& caller) {
    bool changed = false;
    for (const PtxInstruction& call : caller.function().instructions) {
      const auto followed = functions_.find(callee_of(call));
      if (followed == functions_.end() || call.operands.back().kind != PtxOperandKind::list) continue;
      AddressOrigins& callee = followed->second;
      const auto& arguments = call.operands.back().elements;
      const std::size_t count = std::min(arguments.size(), callee.function().parameters.size());
      for (std::size_t i = 0; i < count; ++i) {
        if (callee.is_other_parameter(i) || caller.is_address(arguments[i], call)) continue;
        callee.set_other_parameter(i);
        changed = true;
      }
    }
    return changed;
  }

  std::map<std::string_view, AddressOrigins> functions_;
};

bool uses_shared_addresses(const PtxFunction& function) {
  return std::ranges::any_of(function.instructions,
                             [](const PtxInstruction& instruction) { return shared_address(instruction) != nullptr; });
}

}  // namespace

const PtxInstruction* find_raw_shared_access(const PtxFunction& entry, FunctionBodies& bodies) {
  const CallGraph& calls = bodies.calls();
  const auto names = calls.reachable(entry.name);
  const bool any = std::ranges::any_of(
      names, [&](std::string_view name) { return uses_shared_addresses(*calls.functions.at(name).function); });
  return any ? KernelAddresses(entry, bodies).find() : nullptr;
}

}  // namespace wattune::slice
