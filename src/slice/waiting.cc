#include "slice/waiting.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "slice/flow.h"

namespace wattune::slice {

namespace {

using Names = std::unordered_set<std::string_view>;

bool in_device_memory(const PtxInstruction& instruction) {
  return std::ranges::none_of(instruction.modifiers, [](std::string_view modifier) {
    return modifier.starts_with("shared") || modifier == "local" || modifier.starts_with("param") ||
           modifier == "const";
  });
}

// A load that another block's write must show in.
bool watches(const PtxInstruction& instruction) {
  const auto is_strong = [](std::string_view modifier) {
    return modifier == "volatile" || modifier == "acquire" || modifier == "relaxed" || modifier == "cv" ||
           modifier == "mmio";
  };
  return instruction.opcode == "ld" && in_device_memory(instruction) &&
         std::ranges::any_of(instruction.modifiers, is_strong);
}

bool is_exchange(const PtxInstruction& instruction) {
  return instruction.opcode == "atom" && in_device_memory(instruction) && instruction.operands.size() >= 3;
}

bool writes_register(const PtxInstruction& instruction) {
  return !instruction.operands.empty() && instruction.opcode != "st" && instruction.opcode != "red" &&
         instruction.opcode != "bra";
}

void add_names(const PtxOperand& operand, Names& names) {
  if (!operand.name.empty()) names.insert(operand.name);
  for (const PtxOperand& element : operand.elements) add_names(element, names);
}

bool uses_any(const PtxOperand& operand, const Names& names) {
  return names.contains(operand.name) ||
         std::ranges::any_of(operand.elements, [&](const PtxOperand& element) { return uses_any(element, names); });
}

class WaitFinder {
 public:
  explicit WaitFinder(const PtxFunction& function)
      : function_(function), flow_(flow_of(function)), loops_(loops_of(flow_)) {}

  const PtxInstruction* find() const {
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (!loops_.in_loop(block)) continue;
      for (std::uint32_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
        const PtxInstruction& instruction = function_.instructions[i];
        if ((watches(instruction) || is_exchange(instruction)) && waits(instruction, shortest_cycle(block)))
          return &instruction;
      }
    }
    return nullptr;
  }

 private:
  // The fewest blocks that lead from one back to it: the innermost loop, where loops are nested.
  std::vector<std::uint32_t> shortest_cycle(std::uint32_t start) const {
    std::vector<std::uint32_t> from(flow_.blocks.size(), flow_.exit);
    std::vector<std::uint32_t> queue = {start};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t next : flow_.blocks[queue[i]].successors) {
        if (next == start) return path_back(from, start, queue[i]);
        if (next == flow_.exit || from[next] != flow_.exit) continue;
        from[next] = queue[i];
        queue.push_back(next);
      }
    }
    return {start};
  }

  static std::vector<std::uint32_t> path_back(const std::vector<std::uint32_t>& from, std::uint32_t start,
                                              std::uint32_t last) {
    std::vector<std::uint32_t> path = {start};
    for (; last != start; last = from[last]) path.push_back(last);
    std::reverse(path.begin() + 1, path.end());
    return path;
  }

  template <typename Look>
  void for_each_in(const std::vector<std::uint32_t>& blocks, const Look& look) const {
    for (const std::uint32_t block : blocks)
      for (std::uint32_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i)
        look(function_.instructions[i]);
  }

  bool waits(const PtxInstruction& read, const std::vector<std::uint32_t>& cycle) const {
    const Names changing = changing_in(cycle);
    if (read.operands.size() < 2 || uses_any(read.operands[1], changing)) return false;
    if (is_exchange(read)) return repeats_itself(read, changing) && decides(read, cycle);
    return !is_exchanged(read, cycle) && decides(read, cycle);
  }

  // Registers that may be another value each time; not those that are made anew of what stays.
  Names changing_in(const std::vector<std::uint32_t>& cycle) const {
    Names written;
    for_each_in(cycle, [&](const PtxInstruction& instruction) {
      if (writes_register(instruction)) add_names(instruction.operands[0], written);
    });
    Names changing;
    for_each_in(cycle, [&](const PtxInstruction& instruction) {
      const auto changes = [&](const PtxOperand& operand) { return uses_any(operand, written); };
      const bool reads = instruction.opcode == "ld" || instruction.opcode == "atom" || instruction.opcode == "call";
      if (writes_register(instruction) &&
          (reads || std::any_of(instruction.operands.begin() + 1, instruction.operands.end(), changes)))
        add_names(instruction.operands[0], changing);
    });
    return changing;
  }

  // With the same operands each time: a lock; else it tries again with what it found.
  static bool repeats_itself(const PtxInstruction& exchange, const Names& changing) {
    return !uses_any(exchange.operands[2], changing);
  }

  // The loop reads a value only to exchange it.
  bool is_exchanged(const PtxInstruction& read, const std::vector<std::uint32_t>& cycle) const {
    bool found = false;
    for_each_in(cycle, [&](const PtxInstruction& instruction) {
      found |=
          is_exchange(instruction) && instruction.has("cas") && instruction.operands[1].name == read.operands[1].name;
    });
    return found;
  }

  // Whether what was read reaches the predicate of a branch on the way round, which two rounds show.
  bool decides(const PtxInstruction& read, const std::vector<std::uint32_t>& cycle) const {
    Names reached;
    add_names(read.operands[0], reached);
    bool found = false;
    for (int round = 0; round < 2; ++round)
      for_each_in(cycle, [&](const PtxInstruction& instruction) {
        found |= instruction.opcode == "bra" && reached.contains(instruction.guard);
        const auto uses = [&](const PtxOperand& operand) { return uses_any(operand, reached); };
        if (!writes_register(instruction)) return;
        if (std::any_of(instruction.operands.begin() + 1, instruction.operands.end(), uses))
          add_names(instruction.operands[0], reached);
      });
    return found;
  }

  const PtxFunction& function_;
  Flow flow_;
  Loops loops_;
};

}  // namespace

const PtxInstruction* find_waiting(const PtxFunction& function) {
  const bool any = std::ranges::any_of(function.instructions, [](const PtxInstruction& instruction) {
    return watches(instruction) || is_exchange(instruction);
  });
  return any ? WaitFinder(function).find() : nullptr;
}

}  // namespace wattune::slice
