#include "slice/boundary.h"

#include <algorithm>
#include <bitset>
#include <set>
#include <utility>

#include "slice/barriers.h"
#include "slice/shared_addresses.h"

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::size_t kBarriers = 16;

bool touches_shared(const PtxInstruction& instruction) {
  return std::ranges::any_of(instruction.modifiers, [](std::string_view modifier) {
    return modifier == "shared" || modifier.starts_with("shared::");
  });
}

bool is_shared(const PtxVariable& variable) { return variable.space == PtxSpace::shared; }

// The properties of all functions that the entry reaches, combined.
struct Survey {
  bool shared = false;
  std::bitset<kBarriers> counted;
  CalleeWaits callees;
};

class Planner {
 public:
  Planner(const PtxTree& tree, const PtxFunction& entry, FunctionBodies& bodies)
      : tree_(tree), entry_(entry), bodies_(bodies), reached_(bodies.calls().reachable(entry.name)) {}

  BoundaryPlan plan() {
    survey_.shared = std::ranges::any_of(tree_.variables, is_shared);
    for (const std::string_view name : reached_) look_at(function_named(name));
    choose_barrier();
    look_at_returns();
    if (const PtxInstruction* raw = find_raw_shared_access(entry_, bodies_))
      forbid(*raw, "its address comes from no shared variable, and may be where a twin keeps its own");
    plan_.boundary.reuses_shared = survey_.shared || plan_.boundary.votes;
    return std::move(plan_);
  }

 private:
  const PtxFunction& function_named(std::string_view name) const {
    return *bodies_.calls().functions.at(name).function;
  }

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
      if (!function.entry && awaited_lanes(instruction) != nullptr) survey_.callees.for_warp = true;
      if (is_block_barrier(instruction)) look_at_barrier(function, instruction);
    }
  }

  void look_at_barrier(const PtxFunction& function, const PtxInstruction& barrier) {
    survey_.shared = true;  // since threads that wait at a barrier exchange data in shared memory
    if (!function.entry && !counts_threads(barrier)) survey_.callees.for_block = true;
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

  // Checks branches after which some threads may return. In a persistent twin a thread that returned stays alive, and
  // other threads must not wait for it. Chooses the first block shape for which no instruction forbids the twin. If
  // every shape has such an instruction, reports the instructions for the last shape.
  void look_at_returns() {
    std::vector<EarlyReturns> functions;
    for (const std::string_view name : reached_)
      if (has_waits(function_named(name), survey_.callees)) functions.emplace_back(bodies_.of(name), survey_.callees);
    EarlyReturns::Finding finding;
    for (const BlockShape shape : {BlockShape::any, BlockShape::one_row, BlockShape::whole_warps}) {
      finding = {};
      for (EarlyReturns& returns : functions) returns.look(shape, finding);
      plan_.boundary.votes = finding.votes;
      plan_.blocks = shape;
      if (finding.forbidden.empty()) return;
    }
    for (Forbidden& forbidden : finding.forbidden) plan_.forbidden.push_back(std::move(forbidden));
  }

  const PtxTree& tree_;
  const PtxFunction& entry_;
  FunctionBodies& bodies_;
  const std::set<std::string_view> reached_;
  Survey survey_;
  BoundaryPlan plan_;
};

}  // namespace

BoundaryPlan plan_boundary(const PtxTree& tree, const PtxFunction& entry, FunctionBodies& bodies) {
  return Planner(tree, entry, bodies).plan();
}

}  // namespace wattune::slice
