#include "slice/address_origins.h"

#include <algorithm>

namespace wattune::inline v0_1::slice {

namespace {

bool reads_parameter(const PtxInstruction& load) {
  return std::ranges::any_of(load.modifiers, [](std::string_view modifier) { return modifier.starts_with("param"); });
}

bool is_named(const std::vector<PtxVariable>& variables, PtxSpace space, std::string_view name) {
  return std::ranges::any_of(
      variables, [&](const PtxVariable& variable) { return variable.space == space && variable.name == name; });
}

}  // namespace

AddressOrigins::AddressOrigins(const PtxFunction& function, const Variables& variables, const CallGraph& calls,
                               PtxSpace space)
    : function_(function),
      variables_(variables),
      space_(space),
      is_address_(variables.count(), true),
      is_origin_(variables.count(), false) {
  for (VariableNumber variable = 0; variable < variables.count(); ++variable) look_at(variable, calls);
}

// Marks the variable as an origin if it is declared in the state space. Records it if it is a parameter of the
// function. Variables that the system keeps in shared memory, such as %reserved_smem_offset, have the same address in a
// twin.
void AddressOrigins::look_at(VariableNumber variable, const CallGraph& calls) {
  const std::string_view name = variables_.name(variable);
  if (name == "_") return;
  if (space_ == PtxSpace::shared &&
      (calls.shared_variables.contains(name) || name.starts_with("%reserved_smem_offset")))
    is_origin_[variable] = true;
  if (variables_.definitions(variable).empty() && is_named(function_.variables, space_, name))
    is_origin_[variable] = true;
  const auto parameter = std::ranges::find(function_.parameters, name, &PtxVariable::name);
  if (parameter != function_.parameters.end()) parameters_.emplace(variable, parameter->name);
}

bool AddressOrigins::follow() {
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (VariableNumber variable = 0; variable < is_address_.size(); ++variable)
      if (is_address_[variable] && !is_origin_[variable] && !is_made_of_addresses(variable)) {
        is_address_[variable] = false;
        changed = any = true;
      }
  }
  return any;
}

bool AddressOrigins::is_address(const PtxOperand& operand, const PtxInstruction& instruction) const {
  return !operand.name.empty() && operand.name != "_" && is_address_[variables_.number(operand.name, instruction)];
}

bool AddressOrigins::names_space(const PtxInstruction& instruction) const {
  const std::string_view name = space_ == PtxSpace::shared ? "shared" : "local";
  return std::ranges::any_of(instruction.modifiers,
                             [&](std::string_view modifier) { return modifier.starts_with(name); });
}

bool AddressOrigins::is_made_of_addresses(VariableNumber variable) const {
  const auto parameter = parameters_.find(variable);
  if (parameter != parameters_.end()) return !function_.entry && !other_parameters_.contains(parameter->second);
  const auto& definitions = variables_.definitions(variable);
  return !definitions.empty() && std::ranges::all_of(definitions, [&](std::uint32_t i) { return makes_address(i); });
}

bool AddressOrigins::makes_address(std::uint32_t index) const {
  const PtxInstruction& instruction = function_.instructions[index];
  const auto from = [&](std::size_t i) { return is_address(instruction.operands[i], instruction); };
  if (instruction.opcode == "cvta" && instruction.has("to") && names_space(instruction)) return true;
  if (instruction.opcode == "atom" || (instruction.opcode == "ld" && !reads_parameter(instruction))) return false;
  if (instruction.opcode == "selp" && instruction.operands.size() > 2) return from(1) && from(2);
  if (instruction.opcode == "sub" && instruction.operands.size() > 2) return from(1) && !from(2);
  return std::ranges::any_of(variables_.of(index).reads, [&](VariableNumber variable) {
    return is_address_[variable] && (is_origin_[variable] || is_written(variable));
  });
}

// True if the variable is a parameter, or if an instruction writes it. False for the names of functions and labels.
bool AddressOrigins::is_written(VariableNumber variable) const {
  return parameters_.contains(variable) || !variables_.definitions(variable).empty();
}

}  // namespace wattune::slice
