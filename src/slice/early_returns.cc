#include "slice/early_returns.h"

#include <algorithm>

#include "slice/ballots.h"
#include "slice/barriers.h"
#include "slice/call_graph.h"
#include "slice/flow.h"
#include "slice/memory_use.h"

namespace wattune::inline v0_1::slice {

namespace {

constexpr char kPartsWarp[] = "some threads of a warp may return before this barrier, and would be waited for";
constexpr char kNotPlain[] = "threads may return before this barrier, and only plain ones can let them take part";
constexpr char kPartsLanes[] = "threads of the warp may return before it and would be waited for";

// True if the instruction calls code that may wait for other threads. Functions that the driver provides do not wait
// for other threads.
bool may_wait_in_call(const PtxInstruction& instruction, bool callees_wait) {
  return callees_wait && instruction.opcode == "call" && !is_drivers_function(callee_of(instruction));
}

bool is_wait_for_block(const PtxInstruction& instruction, const CalleeWaits& callees) {
  return is_block_barrier(instruction) ? !counts_threads(instruction)
                                       : may_wait_in_call(instruction, callees.for_block);
}

bool is_wait_for_warp(const PtxInstruction& instruction, const CalleeWaits& callees) {
  return awaited_lanes(instruction) != nullptr || may_wait_in_call(instruction, callees.for_warp);
}

bool names_all_lanes(const PtxOperand& operand) {
  return operand.kind == PtxOperandKind::integer && (operand.bits & 0xffffffff) == 0xffffffff;
}

}  // namespace

bool has_waits(const PtxFunction& function, const CalleeWaits& callees) {
  return std::ranges::any_of(function.instructions, [&](const PtxInstruction& instruction) {
    return is_wait_for_block(instruction, callees) || is_wait_for_warp(instruction, callees);
  });
}

EarlyReturns::EarlyReturns(const FunctionBody& body, const CalleeWaits& callees)
    : body_(body), divergence_(body), has_wait_(body.flow.blocks.size(), false) {
  for (std::uint32_t i = 0; i < body.function.instructions.size(); ++i) {
    const PtxInstruction& instruction = body.function.instructions[i];
    for_block_.push_back(is_wait_for_block(instruction, callees));
    for_warp_.push_back(is_wait_for_warp(instruction, callees));
    if (for_block_[i] || for_warp_[i]) has_wait_[body.block_of[i]] = true;
  }
  ends_before_barrier_ = reach_end_without(&EarlyReturns::holds_block);
  ends_alone_ = reach_end_without(&EarlyReturns::holds_warp);
}

// True if no thread passes the instruction before all threads of the block that have not returned reach it.
bool EarlyReturns::holds_block(std::uint32_t index) const {
  const PtxInstruction& instruction = body_.function.instructions[index];
  return for_block_[index] && instruction.guard.empty() && is_block_barrier(instruction);
}

// True if no lane passes the instruction before all lanes of its warp that have not returned reach it.
bool EarlyReturns::holds_warp(std::uint32_t index) const {
  const PtxInstruction& instruction = body_.function.instructions[index];
  const PtxOperand* lanes = instruction.guard.empty() ? awaited_lanes(instruction) : nullptr;
  if (lanes == nullptr) return false;
  if (names_all_lanes(*lanes)) return true;
  if (lanes->kind != PtxOperandKind::name || lanes->name.empty()) return false;
  const auto& definitions = body_.variables.definitions(body_.variables.number(lanes->name, instruction));
  return !definitions.empty() && std::ranges::all_of(definitions, [&](std::uint32_t definition) {
    const PtxInstruction& move = body_.function.instructions[definition];
    return move.opcode == "mov" && move.operands.size() == 2 && names_all_lanes(move.operands[1]);
  });
}

// Returns an element for each basic block. It is true if a thread at the block's beginning may reach the end of the
// function without passing an instruction for which `holds` is true.
std::vector<bool> EarlyReturns::reach_end_without(bool (EarlyReturns::*holds)(std::uint32_t) const) const {
  std::vector<bool> is_held(body_.flow.blocks.size(), false);
  for (std::uint32_t i = 0; i < body_.block_of.size(); ++i)
    if ((this->*holds)(i)) is_held[body_.block_of[i]] = true;
  std::vector<bool> reaches(body_.flow.blocks.size(), false);
  const Edges predecessors = predecessors_of(body_.flow);
  std::vector<std::uint32_t> open = {body_.flow.exit};
  reaches[body_.flow.exit] = true;
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const std::uint32_t before : predecessors[block]) {
      if (reaches[before] || is_held[before]) continue;
      reaches[before] = true;
      open.push_back(before);
    }
  }
  return reaches;
}

void EarlyReturns::look(BlockShape shape, Finding& finding) {
  divergence_.assume(shape);
  known_.clear();
  for (std::uint32_t block = 0; block < body_.flow.blocks.size(); ++block) look_behind(block, finding);
  for (std::uint32_t i = 0; i < body_.block_of.size(); ++i) {
    if (body_.function.instructions[i].guard.empty() || (!for_block_[i] && !for_warp_[i])) continue;
    const Spread spread = divergence_.of_guard(i);
    if (for_block_[i] && spread != Spread::block) miss_barrier(i, spread, finding);
    if (for_warp_[i] && spread == Spread::thread) forbid(i, kPartsLanes, finding);
  }
}

// Checks the code between a branch and the point where its paths join. At that point ptxas makes the lanes from one
// path wait for the lanes from the other. In a twin, lanes that have returned would wait at that point too, while their
// warp would wait for them at a barrier.
void EarlyReturns::look_behind(std::uint32_t branch, Finding& finding) {
  const Spread spread = divergence_.of_branch(branch);
  const std::uint32_t meeting = body_.meeting[branch];
  const bool misses_barriers = spread != Spread::block && ends_before_barrier_[meeting];
  const bool misses_lanes = spread == Spread::thread && ends_alone_[meeting];
  if (!misses_barriers && !misses_lanes) return;
  for (const std::uint32_t block : divergence_.between(branch)) {
    if (!has_wait_[block]) continue;
    for (std::uint32_t i = body_.flow.blocks[block].first; i < body_.flow.blocks[block].last; ++i) {
      if (misses_barriers && for_block_[i]) miss_barrier(i, spread, finding);
      if (misses_lanes && for_warp_[i] && !finds_lanes_anew(branch, i)) forbid(i, kPartsLanes, finding);
    }
  }
}

void EarlyReturns::miss_barrier(std::uint32_t index, Spread spread, Finding& finding) {
  if (spread == Spread::thread) forbid(index, kPartsWarp, finding);
  if (!body_.function.entry || !is_block_wide_barrier(body_.function.instructions[index]))
    forbid(index, kNotPlain, finding);
  finding.votes = true;
}

void EarlyReturns::forbid(std::uint32_t index, const char* reason, Finding& finding) {
  if (known_.emplace(index, reason).second) finding.forbidden.push_back({&body_.function.instructions[index], reason});
}

// True if every path from the branch to the wait computes the mask of lanes again, so that the mask contains no lane
// that returned after the branch. If the mask was computed before the branch, the path that exactly its lanes take
// needs no new mask.
bool EarlyReturns::finds_lanes_anew(std::uint32_t branch, std::uint32_t wait) const {
  const PtxInstruction& instruction = body_.function.instructions[wait];
  const PtxOperand* lanes = awaited_lanes(instruction);
  if (lanes == nullptr || lanes->kind != PtxOperandKind::name || lanes->name.empty()) return false;
  const auto& definitions = body_.variables.definitions(body_.variables.number(lanes->name, instruction));
  const auto finds = [&](std::uint32_t i) { return finds_living_lanes(body_.function.instructions[i]); };
  if (definitions.empty() || !std::ranges::all_of(definitions, finds)) return false;
  std::vector<bool> seen(body_.flow.blocks.size(), false);
  std::vector<std::uint32_t> open = body_.flow.blocks[branch].successors;
  if (definitions.size() == 1)
    if (const auto way = way_of_ballot(body_, branch, definitions.front())) std::erase(open, *way);
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    bool is_found = false;
    for (std::uint32_t i = body_.flow.blocks[block].first; i < body_.flow.blocks[block].last && !is_found; ++i) {
      if (i == wait) return false;
      is_found = body_.function.instructions[i].guard.empty() && std::ranges::binary_search(definitions, i);
    }
    const auto& next = body_.flow.blocks[block].successors;
    if (!is_found) open.insert(open.end(), next.begin(), next.end());
  }
  return true;
}

}  // namespace wattune::slice
