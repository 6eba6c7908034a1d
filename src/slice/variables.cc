#include "slice/variables.h"

#include <algorithm>

#include "slice/call_graph.h"
#include "slice/memory_use.h"

namespace wattune::inline v0_1::slice {

namespace {

// Returns the name without the digits at its end. `%r<10>` declares ten names that begin with %r.
std::string_view without_digits(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return name.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view register_name(std::string_view name) {
  const std::size_t point = name.find('.');
  return point == std::string_view::npos || is_special_register(name) ? name : name.substr(0, point);
}

// Returns the list of results, which comes before the name in `call (results), f, (arguments)`. Returns nullptr if the
// call has no results.
const PtxOperand* results_of_call(const PtxInstruction& call) {
  return call.operands.size() > 1 && call.operands.front().kind == PtxOperandKind::list ? &call.operands.front()
                                                                                        : nullptr;
}

bool stores_parameter(const PtxInstruction& instruction) {
  return instruction.opcode == "st" && std::ranges::any_of(instruction.modifiers, [](std::string_view modifier) {
           return modifier.starts_with("param");
         });
}

const PtxOperand* written_operand(const PtxInstruction& instruction) {
  if (!callee_of(instruction).empty()) return results_of_call(instruction);
  if (stores_parameter(instruction) && !instruction.operands.empty()) return &instruction.operands.front();
  return writes_first_operand(instruction) ? &instruction.operands.front() : nullptr;
}

}  // namespace

Variables::Variables(const PtxFunction& function) : function_(function) {
  for (const PtxVariable& variable : function.variables)
    if (variable.scope != 0) inner_names_.emplace(variable.scope, variable.name);
  begins_.reserve(2 * function.instructions.size() + 1);
  for (const PtxInstruction& instruction : function.instructions) look_at(instruction);
  begins_.push_back(static_cast<std::uint32_t>(accessed_.size()));
}

Variables::Access Variables::of(std::uint32_t instruction) const {
  const std::uint32_t* begins = begins_.data() + 2 * std::size_t{instruction};
  const std::span<const VariableNumber> all = accessed_;
  return {all.subspan(begins[0], begins[1] - begins[0]), all.subspan(begins[1], begins[2] - begins[1])};
}

void Variables::look_at(const PtxInstruction& instruction) {
  const auto index = static_cast<std::uint32_t>(begins_.size() / 2);
  const PtxOperand* written = written_operand(instruction);
  begins_.push_back(static_cast<std::uint32_t>(accessed_.size()));
  writes_.clear();
  for (const PtxOperand& operand : instruction.operands)
    add(operand, instruction, &operand == written ? writes_ : accessed_);
  if (!instruction.guard.empty()) accessed_.push_back(add(instruction.guard, instruction));
  begins_.push_back(static_cast<std::uint32_t>(accessed_.size()));
  for (const VariableNumber variable : writes_) definitions_[variable].push_back(index);
  accessed_.insert(accessed_.end(), writes_.begin(), writes_.end());
}

void Variables::add(const PtxOperand& operand, const PtxInstruction& instruction, std::vector<VariableNumber>& list) {
  if (!operand.name.empty()) {
    const VariableNumber variable = add(operand.name, instruction);
    if (operand.name != "_") list.push_back(variable);
  }
  for (const PtxOperand& element : operand.elements) add(element, instruction, list);
}

VariableNumber Variables::add(std::string_view name, const PtxInstruction& instruction) {
  name = register_name(name);
  const std::uint32_t scope = scope_of(name, instruction.scope);
  const auto next = static_cast<VariableNumber>(names_.size());
  VariableNumber& known = scope == 0 ? outer_numbers_.emplace(name, next).first->second
                                     : inner_numbers_.emplace(std::pair(scope, name), next).first->second;
  if (known != next) return known;
  names_.push_back(name);
  definitions_.emplace_back();
  return known;
}

VariableNumber Variables::number(std::string_view name, const PtxInstruction& instruction) const {
  name = register_name(name);
  const std::uint32_t scope = scope_of(name, instruction.scope);
  return scope == 0 ? outer_numbers_.at(name) : inner_numbers_.at({scope, name});
}

// Returns the innermost scope that declares the name, among `scope` and the scopes around it. Returns scope 0 if the
// body or the module declares the name.
std::uint32_t Variables::scope_of(std::string_view name, std::uint32_t scope) const {
  for (; scope != 0; scope = function_.scopes[scope].parent)
    if (inner_names_.contains({scope, name}) || inner_names_.contains({scope, without_digits(name)})) return scope;
  return 0;
}

}  // namespace wattune::slice
