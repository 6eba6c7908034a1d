#include "slice/boundary.h"

#include <algorithm>
#include <bitset>
#include <set>

#include "slice/divergence.h"
#include "slice/flow.h"
#include "slice/shared_addresses.h"

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::size_t kBarriers = 16;

bool is_block_barrier(const PtxInstruction& instruction) {
  return (instruction.opcode == "bar" || instruction.opcode == "barrier") && !instruction.has("warp") &&
         !instruction.has("cluster");
}

// Returns the barrier's number, from one of: bar.red d, a{, b}, p; bar.sync a{, b}; bar.arrive a, b
const PtxOperand* barrier_number(const PtxInstruction& barrier) {
  const std::size_t at = barrier.has("red") ? 1 : 0;
  return barrier.operands.size() > at ? &barrier.operands[at] : nullptr;
}

bool counts_threads(const PtxInstruction& barrier) { return barrier.operands.size() == (barrier.has("red") ? 4u : 2u); }

// Returns the mask of lanes that an operation of a warp waits for, apart from those that have exited; nullptr if it
// names none.
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

// Returns the masks of lanes that were active, and so have not returned.
std::set<std::string_view> masks_of_living_lanes(const PtxFunction& function) {
  std::set<std::string_view> masks;
  for (const PtxInstruction& instruction : function.instructions) {
    if (!finds_living_lanes(instruction) || instruction.operands.empty()) continue;
    const PtxOperand& result = instruction.operands.front();
    const PtxOperand& mask = result.kind == PtxOperandKind::pair ? result.elements.front() : result;
    if (!mask.name.empty()) masks.insert(mask.name);
  }
  return masks;
}

bool touches_shared(const PtxInstruction& instruction) {
  return std::ranges::any_of(instruction.modifiers, [](std::string_view modifier) {
    return modifier == "shared" || modifier.starts_with("shared::");
  });
}

bool is_shared(const PtxVariable& variable) { return variable.space == PtxSpace::shared; }

// The combined properties of all functions that the entry reaches.
struct Survey {
  bool shared = false;
  std::bitset<kBarriers> counted;
  bool barriers_of_callees = false;
};

class Planner {
 public:
  Planner(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls)
      : tree_(tree), entry_(entry), calls_(calls), living_lanes_(masks_of_living_lanes(entry)) {}

  BoundaryPlan plan() {
    survey_.shared = std::ranges::any_of(tree_.variables, is_shared);
    for (const std::string_view name : calls_.reachable(entry_.name)) look_at(*calls_.functions.at(name).function);
    choose_barrier();
    look_at_returns();
    if (const PtxInstruction* raw = find_raw_shared_access(entry_, calls_))
      forbid(*raw, "its address comes from no shared variable, and may be where a twin keeps its own");
    plan_.boundary.reuses_shared = survey_.shared || plan_.boundary.votes;
    return std::move(plan_);
  }

 private:
  void forbid(const PtxInstruction& instruction, std::string reason) {
    plan_.forbidden.push_back({&instruction, std::move(reason)});
  }

  void look_at(const PtxFunction& function) {
    survey_.shared |= std::ranges::any_of(function.variables, is_shared);
    for (const PtxInstruction& instruction : function.instructions) {
      survey_.shared |= touches_shared(instruction);
      const bool copies = instruction.opcode == "cp" && instruction.has("async");
      plan_.boundary.awaits_copies |= copies && !instruction.has("bulk");
      plan_.boundary.awaits_bulk_copies |= copies && instruction.has("bulk_group");
      if (!function.entry && instruction.opcode == "exit")
        forbid(instruction, "a thread that leaves inside a function cannot go on with the next block");
      if (is_block_barrier(instruction)) look_at_barrier(function, instruction);
    }
  }

  void look_at_barrier(const PtxFunction& function, const PtxInstruction& barrier) {
    survey_.shared = true;  // threads that meet at a barrier have data to exchange
    if (!function.entry && !counts_threads(barrier)) survey_.barriers_of_callees = true;
    const PtxOperand* number = barrier_number(barrier);
    if (number == nullptr || number->kind != PtxOperandKind::integer || number->bits >= kBarriers)
      return forbid(barrier, "a barrier that a register chooses leaves none that is known to be free");
    if (counts_threads(barrier)) survey_.counted.set(number->bits);
    if (counts_threads(barrier) && survey_.counted.all())
      forbid(barrier, "all sixteen barriers count threads, and none is left to part blocks by");
  }

  void choose_barrier() {
    while (plan_.boundary.barrier + 1 < kBarriers && survey_.counted[plan_.boundary.barrier]) ++plan_.boundary.barrier;
  }

  // Checks branches behind which threads may return. Threads that have returned still live in a twin, and the others
  // must not wait for them.
  void look_at_returns() {
    const Flow flow = flow_of(entry_);
    const Divergence divergence(entry_, flow);
    const std::vector<bool> to_end =
        reaches_exit_without(flow, [&](const PtxInstruction& instruction) { return waits_for_block(instruction); });
    const std::vector<bool> to_end_alone =
        reaches_exit_without(flow, [&](const PtxInstruction& instruction) { return waits_for_warp(instruction); });
    for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
      const Spread spread = divergence.of_branch(block);
      if (spread == Spread::block) continue;
      const std::uint32_t meeting = divergence.meeting_point(block);
      for (const std::uint32_t between : divergence.between(block)) {
        if (to_end[meeting]) look_at_missed_barriers(flow.blocks[between], spread);
        if (to_end_alone[meeting] && spread == Spread::thread) look_at_missed_warps(flow.blocks[between]);
      }
    }
  }

  bool waits_for_block(const PtxInstruction& instruction) const {
    if (is_block_barrier(instruction)) return !counts_threads(instruction);
    return instruction.opcode == "call" && survey_.barriers_of_callees;
  }

  bool waits_for_warp(const PtxInstruction& instruction) const {
    const PtxOperand* lanes = awaited_lanes(instruction);
    return lanes != nullptr && !living_lanes_.contains(lanes->name);
  }

  // Checks a block between a branch and the point where its ways join. There ptxas makes the lanes that took one way
  // wait for the others, before the thread block ends. Lanes that have returned would wait there, and their warp would
  // wait for them at the barrier.
  void look_at_missed_barriers(const FlowBlock& block, Spread spread) {
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const PtxInstruction& instruction = entry_.instructions[i];
      if (!waits_for_block(instruction)) continue;
      if (spread == Spread::thread)
        forbid(instruction, "some threads of a warp may return before this barrier, and would be waited for");
      if (!is_block_wide_barrier(instruction))
        forbid(instruction, "threads may return before this barrier, and only plain ones can let them take part");
      plan_.boundary.votes = true;
    }
  }

  void look_at_missed_warps(const FlowBlock& block) {
    for (std::uint32_t i = block.first; i < block.last; ++i)
      if (waits_for_warp(entry_.instructions[i]))
        forbid(entry_.instructions[i], "threads of the warp may return before it and would be waited for");
  }

  // Tells for each block whether a thread at its beginning may reach the end without an instruction that meets the
  // condition.
  template <typename Condition>
  std::vector<bool> reaches_exit_without(const Flow& flow, const Condition& condition) const {
    std::vector<bool> reaches(flow.blocks.size(), false);
    reaches[flow.exit] = true;
    const auto free_of_it = [&](const FlowBlock& block) {
      return std::none_of(entry_.instructions.begin() + block.first, entry_.instructions.begin() + block.last,
                          condition);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = flow.blocks.size(); i-- > 0;) {
        const FlowBlock& block = flow.blocks[i];
        if (reaches[i] || !free_of_it(block)) continue;
        reaches[i] = std::ranges::any_of(block.successors, [&](std::uint32_t next) { return reaches[next]; });
        changed |= reaches[i];
      }
    }
    return reaches;
  }

  const PtxTree& tree_;
  const PtxFunction& entry_;
  const CallGraph& calls_;
  std::set<std::string_view> living_lanes_;
  Survey survey_;
  BoundaryPlan plan_;
};

}  // namespace

bool is_block_wide_barrier(const PtxInstruction& instruction) {
  return is_block_barrier(instruction) && instruction.has("sync") && !counts_threads(instruction);
}

BoundaryPlan plan_boundary(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls) {
  return Planner(tree, entry, calls).plan();
}

}  // namespace wattune::slice
