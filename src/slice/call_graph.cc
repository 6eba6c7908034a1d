#include "slice/call_graph.h"

#include <algorithm>

namespace wattune::slice {

namespace {

void walk_names(const PtxOperand& operand, const std::function<void(std::string_view)>& look) {
  if (!operand.name.empty()) look(operand.name);
  for (const PtxOperand& element : operand.elements) walk_names(element, look);
}

void add_instruction(CallGraph& graph, CalledFunction& caller, const PtxInstruction& instruction) {
  const CoordinateSet read = coordinates_read(instruction);
  if (read.any() && caller.reads_coordinate == nullptr) caller.reads_coordinate = &instruction;
  caller.own_coordinates |= read;
  const std::string_view callee = callee_of(instruction);
  if (graph.functions.contains(callee)) {
    caller.callees.insert(callee);
  } else if (!callee.empty() && caller.indirect_call == nullptr) {
    caller.indirect_call = &instruction;
  }
  if (instruction.opcode != "mov" && instruction.opcode != "cvta") return;
  for (const PtxOperand& operand : instruction.operands)
    if (graph.functions.contains(operand.name)) graph.address_taken.insert(operand.name);
}

// Tables of functions: `{f, generic(g)}`.
void add_initial_values(CallGraph& graph, const PtxTree& tree, const PtxVariable& variable) {
  if (variable.initializer.find_first_of("abcdefghijklmnopqrstuvwyz_$%") == std::string_view::npos) return;
  const auto values = initial_values(tree, variable);
  if (!values) return;
  for (const PtxOperand& value : *values)
    walk_names(value, [&](std::string_view name) {
      if (graph.functions.contains(name)) graph.address_taken.insert(name);
    });
}

std::set<std::string_view> closure(const CallGraph& graph, std::string_view name, bool indirectly) {
  std::set<std::string_view> reached;
  std::vector<std::string_view> open = {name};
  while (!open.empty()) {
    const std::string_view next = open.back();
    open.pop_back();
    const auto found = graph.functions.find(next);
    if (found == graph.functions.end() || !reached.insert(next).second) continue;
    open.insert(open.end(), found->second.callees.begin(), found->second.callees.end());
    if (indirectly && found->second.indirect_call != nullptr)
      open.insert(open.end(), graph.address_taken.begin(), graph.address_taken.end());
  }
  return reached;
}

}  // namespace

std::set<std::string_view> CallGraph::reachable(std::string_view name) const { return closure(*this, name, true); }

std::set<std::string_view> CallGraph::called_directly(std::string_view name) const {
  return closure(*this, name, false);
}

CoordinateSet CallGraph::coordinates(std::string_view name) const {
  CoordinateSet all;
  for (const std::string_view reached : called_directly(name)) all |= functions.at(reached).own_coordinates;
  return all;
}

CallGraph call_graph_of(const PtxTree& tree) {
  CallGraph graph;
  for (const PtxFunction& function : tree.functions) {
    const PtxFunction*& known = graph.functions[function.name].function;
    if (known == nullptr || !function.body.empty()) known = &function;
  }
  for (const PtxFunction& function : tree.functions)
    for (const PtxInstruction& instruction : function.instructions)
      add_instruction(graph, graph.functions.at(function.name), instruction);
  for (const PtxVariable& variable : tree.variables) add_initial_values(graph, tree, variable);
  return graph;
}

std::string_view callee_of(const PtxInstruction& instruction) {
  if (instruction.opcode != "call") return {};
  const auto target = std::ranges::find(instruction.operands, PtxOperandKind::name, &PtxOperand::kind);
  return target == instruction.operands.end() ? std::string_view() : target->name;
}

}  // namespace wattune::slice
