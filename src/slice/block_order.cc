#include "slice/block_order.h"

#include <algorithm>
#include <vector>

#include "slice/function_body.h"

namespace wattune::inline v0_1::slice {

namespace {

// True if the instruction adds floating-point numbers to memory. The rounded sum depends on the order of the additions,
// while a minimum or maximum does not.
bool adds_floats(const PtxInstruction& instruction) {
  if (instruction.opcode != "atom" && instruction.opcode != "red" && instruction.opcode != "multimem") return false;
  return instruction.has("add") && std::ranges::any_of(instruction.modifiers, [](std::string_view modifier) {
           return modifier.starts_with("f16") || modifier.starts_with("f32") || modifier.starts_with("f64") ||
                  modifier.starts_with("bf16");
         });
}

bool shows_other_writes(const PtxInstruction& load) {
  return load.opcode == "ld" &&
         (load.has("volatile") || load.has("acquire") || load.has("relaxed") || load.has("cv") || load.has("mmio"));
}

// Finds the values of a kernel that depend on the thread block, and the stores with which all blocks write such values
// to one address.
class RacingStores {
 public:
  explicit RacingStores(const FunctionBody& body)
      : body_(body),
        foreign_(body.memory.size(), false),
        reads_coordinate_(body.memory.size(), false),
        depends_(body.variables.count(), false),
        is_index_(body.variables.count(), false),
        chooses_block_(body.variables.count(), false) {
    for (std::uint32_t i = 0; i < body.memory.size(); ++i) {
      foreign_[i] = is_foreign(i);
      reads_coordinate_[i] = coordinates_read(at(i)).any();
    }
    while (pass()) continue;
  }

  const PtxInstruction* find() const {
    const std::vector<bool> chosen = chosen_blocks();
    for (std::uint32_t i = 0; i < body_.memory.size(); ++i)
      if (!chosen[body_.block_of[i]] && races(i)) return &body_.function.instructions[i];
    return nullptr;
  }

 private:
  const PtxInstruction& at(std::uint32_t i) const { return body_.function.instructions[i]; }

  bool any_of(const PtxOperand& operand, const PtxInstruction& instruction, const std::vector<bool>& set) const {
    return (!operand.name.empty() && set[body_.variables.number(operand.name, instruction)]) ||
           std::ranges::any_of(operand.elements,
                               [&](const PtxOperand& element) { return any_of(element, instruction, set); });
  }

  bool races(std::uint32_t i) const {
    const PtxInstruction& store = at(i);
    const bool to_device = store.opcode == "st" && !contains(body_.memory[i], MemoryUse::writes_shared) &&
                           !contains(body_.memory[i], MemoryUse::writes_local) && store.has("global");
    if (!to_device || store.operands.size() != 2) return false;
    const bool one_block = !store.guard.empty() && chooses_block_[body_.variables.number(store.guard, store)];
    return !one_block && !any_of(store.operands[0], store, depends_) && any_of(store.operands[1], store, depends_);
  }

  bool pass() {
    bool changed = false;
    for (std::uint32_t i = 0; i < body_.memory.size(); ++i)
      for (const VariableNumber variable : body_.variables.of(i).writes) {
        changed |= raise(depends_, variable, foreign_[i] || reads_coordinate_[i] || reads_any(i, depends_));
        const bool index = !foreign_[i] && (reads_coordinate_[i] || reads_any(i, is_index_)) && at(i).opcode != "ld";
        changed |= raise(is_index_, variable, index);
        const bool equality = index && at(i).opcode == "setp" && (at(i).has("eq") || at(i).has("ne"));
        changed |= raise(chooses_block_, variable, equality || (index && reads_any(i, chooses_block_)));
      }
    return changed;
  }

  static bool raise(std::vector<bool>& set, VariableNumber variable, bool value) {
    if (!value || set[variable]) return false;
    return set[variable] = true;
  }

  bool reads_any(std::uint32_t i, const std::vector<bool>& set) const {
    return std::ranges::any_of(body_.variables.of(i).reads, [&](VariableNumber variable) { return set[variable]; });
  }

  // True if the instruction's result comes from a source that this analysis does not follow: an atomic operation, a
  // call, or shared or local memory.
  bool is_foreign(std::uint32_t i) const {
    return at(i).opcode == "atom" || at(i).opcode == "call" || contains(body_.memory[i], MemoryUse::reads_shared) ||
           contains(body_.memory[i], MemoryUse::reads_local);
  }

  // Marks the basic blocks that only one thread block seems to enter, because a comparison of its index with a number
  // guards them.
  std::vector<bool> chosen_blocks() const {
    std::vector<bool> chosen(body_.flow.blocks.size(), false);
    for (std::uint32_t block = 0; block < body_.flow.blocks.size(); ++block) {
      const FlowBlock& flow = body_.flow.blocks[block];
      if (flow.successors.size() < 2 || !reads_any(flow.last - 1, chooses_block_)) continue;
      for (const std::uint32_t between : blocks_between(body_.flow, block, body_.meeting[block]))
        chosen[between] = true;
    }
    return chosen;
  }

  const FunctionBody& body_;
  std::vector<bool> foreign_;           // by instruction: result of is_foreign()
  std::vector<bool> reads_coordinate_;  // by instruction: true if it reads the block's index or the grid's size
  std::vector<bool> depends_;           // by variable: true if a foreign instruction or the block decides it
  std::vector<bool> is_index_;          // by variable: true if computed from the thread block's index alone
  std::vector<bool> chooses_block_;     // by variable: true for a predicate that compares such an index with a number
};

// Returns the first single instruction of a function because of which results depend on the order of blocks. Returns
// nullopt if there is none.
std::optional<OrderCause> cause_in(const PtxFunction& function, FunctionBodies& bodies) {
  std::vector<bool> read;  // by variable: true if an instruction reads it; empty until needed
  const auto result_is_read = [&](const PtxInstruction& instruction) {
    const Variables& variables = bodies.of(function.name).variables;
    if (read.empty()) {
      read.assign(variables.count(), false);
      for (std::uint32_t i = 0; i < function.instructions.size(); ++i)
        for (const VariableNumber variable : variables.of(i).reads) read[variable] = true;
    }
    const auto& result = instruction.operands.front();
    return result.kind != PtxOperandKind::name || read[variables.number(result.name, instruction)];
  };
  for (const PtxInstruction& instruction : function.instructions) {
    if (adds_floats(instruction))
      return OrderCause{&instruction, "sums of floating-point numbers depend on the order of blocks"};
    if (!contains(memory_uses_of(instruction), MemoryUse::reads_device)) continue;
    if (shows_other_writes(instruction))
      return OrderCause{&instruction, "what other blocks have written may show in it"};
    if (instruction.opcode != "atom") continue;
    if (instruction.has("exch") || instruction.has("cas"))
      return OrderCause{&instruction, "what an exchange leaves depends on the order of blocks"};
    if (result_is_read(instruction))
      return OrderCause{&instruction, "what an atomic operation finds depends on the order of blocks"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<OrderCause> order_cause_of(const PtxFunction& entry, FunctionBodies& bodies) {
  for (const std::string_view reached : bodies.calls().reachable(entry.name))
    if (const auto cause = cause_in(*bodies.calls().functions.at(reached).function, bodies)) return cause;
  const PtxInstruction* store = RacingStores(bodies.of(entry.name)).find();
  if (store == nullptr) return std::nullopt;
  return OrderCause{store, "blocks store different values at one place, and the last one stays"};
}

}  // namespace wattune::slice
