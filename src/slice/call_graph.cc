#include "slice/call_graph.h"

#include <algorithm>

#include "slice/components.h"

namespace wattune::inline v0_1::slice {

namespace {

void walk_names(const PtxOperand& operand, const std::function<void(std::string_view)>& look) {
  if (!operand.name.empty()) look(operand.name);
  for (const PtxOperand& element : operand.elements) walk_names(element, look);
}

void add_instruction(CallGraph& graph, CalledFunction& caller, const PtxInstruction& instruction) {
  const CoordinateSet read = coordinates_read(instruction);
  if (read.any() && caller.reads_coordinate == nullptr) caller.reads_coordinate = &instruction;
  caller.coordinates |= read;
  caller.memory |= memory_uses_of(instruction);
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

// Adds the functions whose addresses the initial values of a variable hold, as in `{f, generic(g)}`.
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

// Numbers the functions of a graph. One more number stands for the targets of indirect calls.
class Places {
 public:
  explicit Places(CallGraph& graph) : graph_(graph) {
    for (auto& [name, function] : graph.functions) {
      places_.emplace(name, static_cast<std::uint32_t>(functions_.size()));
      functions_.push_back(&function);
    }
  }

  Edges direct_calls() const {
    Edges edges(functions_.size() + 1);
    for (std::uint32_t caller = 0; caller < functions_.size(); ++caller)
      for (const std::string_view callee : functions_[caller]->callees) edges[caller].push_back(places_.at(callee));
    return edges;
  }

  Edges all_calls() const {
    Edges edges = direct_calls();
    for (std::uint32_t caller = 0; caller < functions_.size(); ++caller)
      if (functions_[caller]->indirect_call != nullptr)
        edges[caller].push_back(static_cast<std::uint32_t>(functions_.size()));
    for (const std::string_view target : graph_.address_taken) edges.back().push_back(places_.at(target));
    return edges;
  }

  void gather() {
    const Edges all = all_calls();
    const Components components = components_of(all);
    std::vector<CoordinateSet> coordinates(all.size());
    std::vector<MemoryUses> memory(all.size());
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      coordinates[i] = functions_[i]->coordinates;
      memory[i] = functions_[i]->memory;
    }
    coordinates = gathered(direct_calls(), coordinates);
    memory = gathered(all, memory);
    for (std::uint32_t i = 0; i < functions_.size(); ++i) {
      functions_[i]->coordinates = coordinates[i];
      functions_[i]->memory = memory[i];
      functions_[i]->recursive = components.in_loop(i);
    }
    graph_.memory_of_indirect_calls = memory.back();
  }

 private:
  CallGraph& graph_;
  std::map<std::string_view, std::uint32_t> places_;
  std::vector<CalledFunction*> functions_;
};

}  // namespace

std::set<std::string_view> CallGraph::reachable(std::string_view name) const { return closure(*this, name, true); }

std::set<std::string_view> CallGraph::called_directly(std::string_view name) const {
  return closure(*this, name, false);
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
  for (const PtxVariable& variable : tree.variables) {
    add_initial_values(graph, tree, variable);
    if (variable.space == PtxSpace::shared) graph.shared_variables.insert(variable.name);
  }
  for (auto& [name, function] : graph.functions)
    if (function.function->body.empty()) function.memory = memory_uses_of_foreign(name);
  Places(graph).gather();
  return graph;
}

MemoryUses memory_uses_of(const PtxInstruction& instruction, const CallGraph& calls) {
  const std::string_view callee = callee_of(instruction);
  if (callee.empty()) return memory_uses_of(instruction);
  const auto known = calls.functions.find(callee);
  return known == calls.functions.end() ? calls.memory_of_indirect_calls : known->second.memory;
}

std::string_view callee_of(const PtxInstruction& instruction) {
  if (instruction.opcode != "call") return {};
  const auto target = std::ranges::find(instruction.operands, PtxOperandKind::name, &PtxOperand::kind);
  return target == instruction.operands.end() ? std::string_view() : target->name;
}

}  // namespace wattune::slice
