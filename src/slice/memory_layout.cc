#include "slice/memory_layout.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

namespace wattune::inline v0_1::slice {

namespace {

std::size_t aligned(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::size_t alignment_of(const PtxVariable& variable) {
  if (variable.alignment > 0) return variable.alignment;
  return std::max<std::size_t>(1, bytes_of_type(variable.type) * variable.vector);
}

// Adds the shared variables of the module that the operand names.
void add_shared_names(const PtxOperand& operand, const CallGraph& calls, std::set<std::string_view>& names) {
  if (calls.shared_variables.contains(operand.name)) names.insert(operand.name);
  for (const PtxOperand& element : operand.elements) add_shared_names(element, calls, names);
}

// Returns the shared variables that a kernel can reach, without repetitions.
std::vector<const PtxVariable*> shared_variables(const PtxTree& tree, const PtxFunction& entry,
                                                 const CallGraph& calls) {
  std::vector<const PtxVariable*> variables;
  std::set<std::string_view> named;
  for (const std::string_view reached : calls.reachable(entry.name)) {
    const PtxFunction& function = *calls.functions.at(reached).function;
    for (const PtxVariable& variable : function.variables)
      if (variable.space == PtxSpace::shared) variables.push_back(&variable);
    if (calls.shared_variables.empty()) continue;
    for (const PtxInstruction& instruction : function.instructions)
      for (const PtxOperand& operand : instruction.operands) add_shared_names(operand, calls, named);
  }
  for (const PtxVariable& variable : tree.variables)
    if (variable.space == PtxSpace::shared && named.contains(variable.name)) variables.push_back(&variable);
  return variables;
}

}  // namespace

std::size_t bytes_of_type(std::string_view type) {
  if (type == "texref" || type == "samplerref" || type == "surfref") return 8;
  const std::size_t digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 0;
  std::size_t bits = 0;
  const auto [end, code] = std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  const bool packed = end != type.data() + type.size() && *end == 'x';  // f16x2 has two elements
  return bits / 8 * (packed ? 2 : 1);
}

std::size_t bytes_of(const PtxVariable& variable) {
  std::size_t bytes = bytes_of_type(variable.type) * variable.vector;
  for (const std::uint64_t dimension : variable.dimensions) bytes *= dimension;
  return bytes;
}

std::size_t parameters_end(const PtxFunction& entry, std::size_t alignment) {
  std::size_t end = 0;
  for (const PtxVariable& parameter : entry.parameters)
    end = aligned(end, alignment_of(parameter)) + bytes_of(parameter);
  return aligned(end, alignment);
}

std::size_t shared_bytes_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls) {
  std::size_t end = 0;
  for (const PtxVariable* variable : shared_variables(tree, entry, calls))
    if (bytes_of(*variable) > 0) end = aligned(end, alignment_of(*variable)) + bytes_of(*variable);
  return end;
}

bool uses_dynamic_shared(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls) {
  return std::ranges::any_of(shared_variables(tree, entry, calls),
                             [](const PtxVariable* variable) { return variable->linkage == "extern"; });
}

}  // namespace wattune::slice
