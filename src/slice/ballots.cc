#include "slice/ballots.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::array<std::string_view, 2> kOpposites[] = {
    {"eq", "ne"}, {"lt", "ge"}, {"le", "gt"}, {"lo", "hs"}, {"ls", "hi"}};

bool are_opposite(std::string_view one, std::string_view other) {
  return std::ranges::any_of(kOpposites, [&](const auto& pair) {
    return (pair[0] == one && pair[1] == other) || (pair[0] == other && pair[1] == one);
  });
}

// True if the type is an integer type, such as b32, s64 or u16. Float types do not count, because for NaN two opposite
// comparisons are both false.
bool is_integer_type(std::string_view type) {
  return type.size() == 3 && (type[0] == 'b' || type[0] == 's' || type[0] == 'u');
}

// True if the instruction is an unguarded setp that compares two integers and sets one predicate.
bool compares_integers(const PtxInstruction& instruction) {
  return instruction.opcode == "setp" && instruction.guard.empty() && instruction.modifiers.size() == 2 &&
         is_integer_type(instruction.modifiers[1]) && instruction.operands.size() == 3 &&
         instruction.operands[0].kind == PtxOperandKind::name;
}

// The instructions of one basic block, which run one after the other.
class StraightCode {
 public:
  StraightCode(const FunctionBody& body, std::uint32_t block) : body_(body), code_(body.flow.blocks[block]) {}

  std::uint32_t last() const { return code_.last - 1; }
  const PtxInstruction& at(std::uint32_t index) const { return body_.function.instructions[index]; }
  VariableNumber number(std::string_view name, std::uint32_t user) const {
    return body_.variables.number(name, at(user));
  }

  // True if an instruction in [begin, end) writes the variable.
  bool writes(VariableNumber variable, std::uint32_t begin, std::uint32_t end) const {
    return std::ranges::any_of(body_.variables.definitions(variable),
                               [&](std::uint32_t index) { return begin <= index && index < end; });
  }

  // Returns the last instruction of this basic block before `user` that writes the variable. Returns nullopt if no
  // instruction before `user` in this block writes it.
  std::optional<std::uint32_t> definition(VariableNumber variable, std::uint32_t user) const {
    std::optional<std::uint32_t> latest;
    for (const std::uint32_t index : body_.variables.definitions(variable))
      if (code_.first <= index && index < user) latest = std::max(latest.value_or(index), index);
    return latest;
  }

  // True if operand `place` is the same number in both instructions, or the same register with an equal value.
  bool has_same_source(std::uint32_t one, std::uint32_t other, std::size_t place) const {
    const PtxOperand& of_one = at(one).operands[place];
    const PtxOperand& of_other = at(other).operands[place];
    if (of_one.kind != of_other.kind) return false;
    if (of_one.kind == PtxOperandKind::integer) return of_one.bits == of_other.bits;
    if (of_one.kind != PtxOperandKind::name || of_one.text != of_other.text) return false;
    const VariableNumber variable = number(of_one.name, one);
    return variable == number(of_other.name, other) && !body_.variables.definitions(variable).empty() &&
           !writes(variable, std::min(one, other), std::max(one, other));
  }

 private:
  const FunctionBody& body_;
  const FlowBlock& code_;
};

// True if the setp `other` sets its predicate to the complement, in each lane, of what the setp `one` sets.
bool are_complements(const StraightCode& code, std::optional<std::uint32_t> one, std::optional<std::uint32_t> other) {
  if (!one || !other || !compares_integers(code.at(*one)) || !compares_integers(code.at(*other))) return false;
  const auto& of_one = code.at(*one).modifiers;
  const auto& of_other = code.at(*other).modifiers;
  return of_one[1] == of_other[1] && are_opposite(of_one[0], of_other[0]) && code.has_same_source(*one, *other, 1) &&
         code.has_same_source(*one, *other, 2);
}

}  // namespace

std::optional<std::uint32_t> way_of_ballot(const FunctionBody& body, std::uint32_t block, std::uint32_t ballot) {
  const std::vector<std::uint32_t>& ways = body.flow.blocks[block].successors;
  if (body.block_of[ballot] != block || ways.size() != 2) return std::nullopt;
  const StraightCode code(body, block);
  const PtxInstruction& vote = code.at(ballot);
  const PtxInstruction& branch = code.at(code.last());
  if (vote.opcode != "vote" || !vote.has("ballot") || !vote.guard.empty() || vote.operands.size() < 2)
    return std::nullopt;
  const PtxOperand& named = vote.operands[1];
  if (named.kind != PtxOperandKind::name || named.name.empty() || branch.opcode != "bra" || branch.guard.empty())
    return std::nullopt;
  const VariableNumber counted = code.number(named.name, ballot);
  const VariableNumber decides = code.number(branch.guard, code.last());
  const bool is_same = counted == decides && !code.writes(counted, ballot, code.last());
  if (!is_same && !are_complements(code, code.definition(counted, ballot), code.definition(decides, code.last())))
    return std::nullopt;
  const bool guard_is_set = is_same != named.logical_not;     // true if the guard is set in the lanes of the ballot
  return ways[guard_is_set != branch.guard_negated ? 0 : 1];  // the first successor is the branch's target
}

}  // namespace wattune::slice
