#include "slice/divergence.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::uint64_t kWarpMask = 31;

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Tells whether the instruction writes no register, or not as its first operand.
bool writes_nothing(const PtxInstruction& instruction) {
  static constexpr auto kOpcodes =
      std::to_array<std::string_view>({"st", "bra", "brx", "ret", "exit", "red", "membar", "fence", "trap", "prefetch",
                                       "call", "nanosleep", "brkpt", "pmevent", "discard", "griddepcontrol"});
  return instruction.operands.empty() || is_one_of(instruction.opcode, kOpcodes);
}

// Tells whether results may differ between threads although the operands are the same.
bool differs_by_nature(const PtxInstruction& instruction) {
  static constexpr auto kOpcodes = std::to_array<std::string_view>(
      {"atom",    "shfl",     "vote",      "match",  "activemask", "elect",   "tex",      "tld4",
       "suld",    "redux",    "mbarrier",  "mma",    "wmma",       "wgmma",   "ldmatrix", "movmatrix",
       "tcgen05", "multimem", "stacksave", "alloca", "testp",      "isspacep"});
  return is_one_of(instruction.opcode, kOpcodes);
}

Spread of_special_register(std::string_view name) {
  static constexpr auto kOfBlock = std::to_array<std::string_view>(
      {"%ctaid", "%nctaid", "%ntid", "%gridid", "%nwarpid", "%nsmid", "%clusterid", "%nclusterid", "%cluster_ctaid",
       "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster", "%total_smem_size",
       "%aggr_smem_size", "%dynamic_smem_size", "WARP_SZ"});
  return is_one_of(name.substr(0, name.find('.')), kOfBlock) ? Spread::block : Spread::thread;
}

bool knows_other_axis(std::string_view name) {
  return name == "%tid.y" || name == "%tid.z" || name == "%ntid.y" || name == "%ntid.z" || name == "%tid";
}

bool is_warp_multiple(const PtxOperand& operand) {
  return operand.kind == PtxOperandKind::integer && (operand.bits & kWarpMask) == 0;
}

// Tells whether the result is the same throughout a warp if the first source is the thread's index: x < 64, x >> 5 and
// x & ~31 are.
bool keeps_warps_together(const PtxInstruction& instruction) {
  const std::vector<PtxOperand>& operands = instruction.operands;
  if (operands.size() != 3 || operands[2].kind != PtxOperandKind::integer) return false;
  const std::uint64_t number = operands[2].bits;
  if (instruction.opcode == "shr") return number >= 5;
  if (instruction.opcode == "and") return is_warp_multiple(operands[2]);
  if (instruction.opcode != "setp") return false;
  const bool after = instruction.has("gt") || instruction.has("le") || instruction.has("hi") || instruction.has("ls");
  const bool before = instruction.has("lt") || instruction.has("ge") || instruction.has("lo") || instruction.has("hs");
  return (before && is_warp_multiple(operands[2])) || (after && (number & kWarpMask) == kWarpMask);
}

}  // namespace

Divergence::Divergence(const PtxFunction& function, const Flow& flow)
    : function_(function),
      flow_(flow),
      post_dominators_(post_dominators(flow)),
      branches_(flow.blocks.size(), Spread::block),
      regions_(flow.blocks.size(), Spread::block) {
  for (const PtxInstruction& instruction : function.instructions)
    for (const PtxOperand& operand : instruction.operands) one_axis_ &= !knows_other_axis(operand.name);
  while (pass()) continue;
}

std::vector<std::uint32_t> Divergence::between(std::uint32_t block) const {
  return blocks_between(flow_, block, meeting_point(block));
}

bool Divergence::pass() {
  bool changed = false;
  for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
    for (std::uint32_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
      const PtxInstruction& instruction = function_.instructions[i];
      if (instruction.opcode == "call" && !instruction.operands.empty() &&
          instruction.operands[0].kind == PtxOperandKind::list)
        changed |= assign(instruction.operands[0], Spread::thread);
      if (writes_nothing(instruction)) continue;
      Spread spread = std::max(result_of(instruction), regions_[block]);
      if (!instruction.guard.empty()) spread = std::max(spread, of(instruction.guard));
      changed |= assign(instruction.operands[0], spread);
    }
    changed |= look_at_branch(block);
  }
  return changed;
}

bool Divergence::raise(std::string_view name, Spread spread) {
  const auto [value, added] = values_.emplace(name.substr(0, name.find('.')), spread);
  if (added) return spread != Spread::block;
  Spread joined = std::max(value->second, spread);
  if (joined == Spread::index && value->second != spread) joined = Spread::thread;
  return std::exchange(value->second, joined) != joined;
}

// Returns the spread of a name. A register without a known value counts as the same everywhere, so that the iteration
// over loops can find its value.
Spread Divergence::of(std::string_view name) const {
  if (name == "%tid.x") return one_axis_ ? Spread::index : Spread::thread;
  if (is_special_register(name)) return of_special_register(name);
  const auto value = values_.find(name.substr(0, name.find('.')));
  return value == values_.end() ? Spread::block : value->second;
}

Spread Divergence::of(const PtxOperand& operand) const {
  Spread spread = operand.name.empty() ? Spread::block : of(operand.name);
  for (const PtxOperand& element : operand.elements) spread = std::max(spread, of(element));
  return spread;
}

Spread Divergence::of_sources(const PtxInstruction& instruction) const {
  Spread spread = Spread::block;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) spread = std::max(spread, of(instruction.operands[i]));
  return spread;
}

Spread Divergence::result_of(const PtxInstruction& instruction) const {
  if (differs_by_nature(instruction)) return Spread::thread;
  if (instruction.opcode == "bar" || instruction.opcode == "barrier")  // of all threads, without a count
    return instruction.operands.size() == 3 ? Spread::block : Spread::thread;
  if (instruction.opcode == "ld" || instruction.opcode == "ldu") return of_load(instruction);
  const Spread spread = of_sources(instruction);
  if (spread != Spread::index) return spread;
  if (instruction.opcode == "mov" || instruction.opcode == "cvt") return Spread::index;
  const bool index_first = instruction.operands.size() > 1 && of(instruction.operands[1]) == Spread::index;
  return index_first && keeps_warps_together(instruction) ? Spread::warp : Spread::thread;
}

// Returns the spread of a loaded value. No thread writes an entry's parameters, constants, and memory read by
// ld.global.nc.
Spread Divergence::of_load(const PtxInstruction& instruction) const {
  if (instruction.operands.size() < 2) return Spread::thread;
  if (instruction.has("const") || instruction.has("nc"))
    return of_sources(instruction) == Spread::block ? Spread::block : Spread::thread;
  const std::string_view name = instruction.operands[1].name;
  const bool parameter =
      std::ranges::find(function_.parameters, name, &PtxVariable::name) != function_.parameters.end();
  return function_.entry && parameter ? Spread::block : Spread::thread;
}

bool Divergence::assign(const PtxOperand& destination, Spread spread) {
  if (destination.kind == PtxOperandKind::name) return raise(destination.name, spread);
  if (destination.kind == PtxOperandKind::address) return false;
  bool changed = false;
  for (const PtxOperand& element : destination.elements) changed |= assign(element, spread);
  return changed;
}

bool Divergence::look_at_branch(std::uint32_t block) {
  const FlowBlock& flow = flow_.blocks[block];
  if (flow.first == flow.last || flow.successors.size() < 2) return false;
  const PtxInstruction& last = function_.instructions[flow.last - 1];
  Spread spread = last.guard.empty() ? Spread::block : of(last.guard);
  if (last.opcode == "brx" && !last.operands.empty()) spread = std::max(spread, of(last.operands.front()));
  if (spread == Spread::index) spread = Spread::thread;
  if (spread <= branches_[block]) return false;
  branches_[block] = spread;
  for (const std::uint32_t other : between(block)) regions_[other] = std::max(regions_[other], spread);
  return true;
}

}  // namespace wattune::slice
