#include "slice/divergence.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wattune::inline v0_1::slice {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// True if the instruction's results may differ between threads although its operands are the same. This includes
// additions with carry, because the carry flag is not an operand.
bool differs_by_nature(const PtxInstruction& instruction) {
  static constexpr auto kOpcodes = std::to_array<std::string_view>(
      {"atom",      "shfl",     "vote",    "match",    "activemask", "elect",     "tex",      "tld4", "suld",
       "redux",     "mbarrier", "mma",     "wmma",     "wgmma",      "addc",      "subc",     "madc", "ldmatrix",
       "movmatrix", "alloca",   "tcgen05", "multimem", "testp",      "stacksave", "isspacep", "call"});
  return is_one_of(instruction.opcode, kOpcodes);
}

WarpValue of_special_register(std::string_view name, BlockShape shape) {
  static constexpr auto kOfBlock = std::to_array<std::string_view>(
      {"%ctaid", "%nctaid", "%ntid", "%gridid", "%nwarpid", "%nsmid", "%clusterid", "%nclusterid", "%cluster_ctaid",
       "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster", "%total_smem_size",
       "%aggr_smem_size", "%dynamic_smem_size"});
  if (name == "WARP_SZ") return {Spread::block, true, true};
  if (name == "%ntid.x") return {Spread::block, shape == BlockShape::whole_warps};
  if (is_one_of(name.substr(0, name.find('.')), kOfBlock)) return {Spread::block};
  if (shape == BlockShape::any) return {Spread::thread};
  if (name == "%tid.x") return {Spread::index};
  return {name == "%tid.y" || name == "%tid.z" ? Spread::warp : Spread::thread};
}

// Returns the spread to assume for a branch that is decided by a value of this spread. A value that depends on the lane
// may send the threads of a warp on different paths.
Spread deciding(Spread spread) {
  if (spread == Spread::none) return Spread::block;
  return spread == Spread::index ? Spread::thread : spread;
}

bool is_parameter(const PtxFunction& function, std::string_view name) {
  return std::ranges::find(function.parameters, name, &PtxVariable::name) != function.parameters.end();
}

// True if the operand is a whole register, without a component or an index.
bool is_whole_register(const PtxOperand& operand) {
  return operand.kind == PtxOperandKind::name && !operand.minus && !operand.logical_not && operand.offset == 0 &&
         operand.elements.empty() && !operand.name.empty() && operand.name != "_";
}

}  // namespace

Divergence::Divergence(const FunctionBody& body) : body_(body) {
  makings_.reserve(body.function.instructions.size());
  for (const PtxInstruction& instruction : body.function.instructions) makings_.push_back(making_of(instruction));
  mark_what_decides();
}

// Marks the instructions whose results may reach a branch or a predicate; only these need to be analysed.
void Divergence::mark_what_decides() {
  const Variables& variables = body_.variables;
  decides_.assign(makings_.size(), false);
  std::vector<bool> seen(variables.count(), false);
  std::vector<VariableNumber> open;
  const auto follow = [&](VariableNumber variable) {
    if (!seen[variable]) open.push_back(variable);
    seen[variable] = true;
  };
  for (std::uint32_t i = 0; i < makings_.size(); ++i) {
    const PtxInstruction& instruction = body_.function.instructions[i];
    if (!instruction.guard.empty()) follow(variables.number(instruction.guard, instruction));
    if (instruction.opcode != "brx") continue;
    for (const VariableNumber variable : variables.of(i).reads) follow(variable);
  }
  while (!open.empty()) {
    const VariableNumber variable = open.back();
    open.pop_back();
    for (const std::uint32_t definition : variables.definitions(variable)) {
      if (decides_[definition]) continue;
      decides_[definition] = true;
      if (makings_[definition] != Making::plain && makings_[definition] != Making::whole) continue;
      for (const VariableNumber read : variables.of(definition).reads) follow(read);
    }
  }
}

Divergence::Making Divergence::making_of(const PtxInstruction& instruction) const {
  if (differs_by_nature(instruction)) return Making::differs;
  if (instruction.opcode == "bar" || instruction.opcode == "barrier")  // same results if no count of threads is given
    return instruction.operands.size() == 3 ? Making::same : Making::differs;
  if (instruction.opcode == "ld" || instruction.opcode == "ldu") return making_of_load(instruction);
  const bool known = computes_whole_numbers(instruction) && instruction.operands[0].kind != PtxOperandKind::vector;
  return known ? Making::whole : Making::plain;
}

// Classifies a load. No thread writes an entry's parameters, constant memory, or memory that is read by ld.global.nc.
Divergence::Making Divergence::making_of_load(const PtxInstruction& load) const {
  if (load.operands.size() < 2) return Making::differs;
  if (load.has("const") || load.has("nc")) return Making::plain;
  const std::string_view name = load.operands[1].name;
  if (!body_.function.entry || !is_parameter(body_.function, name)) return Making::differs;
  const auto hides = [&](const PtxVariable& variable) { return variable.name == name; };
  return std::ranges::any_of(body_.function.variables, hides) ? Making::differs : Making::same;
}

WarpValue Divergence::initial_value(VariableNumber variable, BlockShape shape) const {
  const std::string_view name = body_.variables.name(variable);
  if (is_special_register(name)) return of_special_register(name, shape);
  if (!body_.function.entry && is_parameter(body_.function, name)) return {Spread::thread};
  return {body_.variables.definitions(variable).empty() ? Spread::block : Spread::none};
}

// Repeats the analysis of all values until none changes. A register whose only definitions read that register never
// gets a value. In the end it is taken to be the same in all threads.
void Divergence::assume(BlockShape shape) {
  values_.clear();
  for (VariableNumber variable = 0; variable < body_.variables.count(); ++variable)
    values_.push_back(initial_value(variable, shape));
  latest_.resize(values_.size());
  latest_look_.assign(values_.size(), 0);
  look_ = 0;
  branches_.assign(body_.flow.blocks.size(), Spread::block);
  regions_.assign(body_.flow.blocks.size(), Spread::block);
  while (pass()) continue;
  for (WarpValue& value : values_)
    if (value.spread == Spread::none) value.spread = Spread::block;
  while (pass()) continue;
}

Spread Divergence::of_guard(std::uint32_t instruction) const {
  const PtxInstruction& guarded = body_.function.instructions[instruction];
  if (guarded.guard.empty()) return Spread::block;
  return deciding(value(body_.variables.number(guarded.guard, guarded)).spread);
}

std::vector<std::uint32_t> Divergence::between(std::uint32_t block) const {
  return blocks_between(body_.flow, block, body_.meeting[block]);
}

bool Divergence::pass() {
  bool changed = false;
  for (std::uint32_t block = 0; block < body_.flow.blocks.size(); ++block) {
    ++look_;
    for (std::uint32_t i = body_.flow.blocks[block].first; i < body_.flow.blocks[block].last; ++i)
      changed |= note_results(i, block);
    changed |= look_at_branch(block);
  }
  ++look_;
  return changed;
}

bool Divergence::note_results(std::uint32_t instruction, std::uint32_t block) {
  if (!decides_[instruction]) return false;
  const WarpValue result = result_of(instruction, block);
  const bool always = body_.function.instructions[instruction].guard.empty();
  bool changed = false;
  for (const VariableNumber variable : body_.variables.of(instruction).writes) {
    latest_[variable] = always ? result : joined(value(variable), result);
    latest_look_[variable] = look_;
    const WarpValue either = joined(values_[variable], result);
    changed |= std::exchange(values_[variable], either) != either;
  }
  return changed;
}

WarpValue Divergence::value(VariableNumber variable) const {
  return latest_look_[variable] == look_ ? latest_[variable] : values_[variable];
}

// Returns what is known about the results of an instruction. Their spread is Spread::none while nothing is known about
// one of its sources.
WarpValue Divergence::result_of(std::uint32_t instruction, std::uint32_t block) const {
  const Spread around = std::max(regions_[block], of_guard(instruction));
  const Spread spread = makings_[instruction] == Making::same ? around : std::max(around, of_reads(instruction));
  if (makings_[instruction] == Making::differs || spread == Spread::thread) return {Spread::thread};
  if (makings_[instruction] == Making::same) return {spread};
  for (const VariableNumber variable : body_.variables.of(instruction).reads)
    if (value(variable).spread == Spread::none) return {};
  if (makings_[instruction] == Making::plain) return {spread == Spread::index ? Spread::thread : spread};
  const PtxInstruction& made = body_.function.instructions[instruction];
  SourceValues sources;
  for (std::size_t i = 1; i < made.operands.size(); ++i) {
    sources[i - 1] = value_of(made.operands[i], made);
    if (sources[i - 1].spread == Spread::none) return {spread == Spread::index ? Spread::thread : spread};
  }
  WarpValue result = slice::result_of(made, sources);
  if (is_uniform(result)) result.spread = std::max(result.spread, around);
  return result;
}

// Returns what is known about a register or a number. Other operands have Spread::none.
WarpValue Divergence::value_of(const PtxOperand& operand, const PtxInstruction& instruction) const {
  if (operand.kind == PtxOperandKind::integer) return value_of_number(operand.bits);
  return is_whole_register(operand) ? value(body_.variables.number(operand.name, instruction)) : WarpValue();
}

Spread Divergence::of_reads(std::uint32_t instruction) const {
  Spread spread = Spread::none;
  for (const VariableNumber variable : body_.variables.of(instruction).reads)
    spread = std::max(spread, value(variable).spread);
  return spread;
}

bool Divergence::look_at_branch(std::uint32_t block) {
  const FlowBlock& flow = body_.flow.blocks[block];
  if (flow.first == flow.last || flow.successors.size() < 2) return false;
  const Spread spread = deciding(of_reads(flow.last - 1));
  if (spread <= branches_[block]) return false;
  branches_[block] = spread;
  for (const std::uint32_t other : between(block)) regions_[other] = std::max(regions_[other], spread);
  return true;
}

}  // namespace wattune::slice
