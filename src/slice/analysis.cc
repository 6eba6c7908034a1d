#include "slice/interface/analysis.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "slice/block_order.h"
#include "slice/boundary.h"
#include "slice/kernel_facts.h"
#include "slice/memory_layout.h"
#include "slice/obstacles.h"

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::size_t kWarp = 32;
constexpr auto kFormNames = std::to_array<std::string_view>({"add", "linear", "guard", "persistent"});

std::vector<std::string_view> special_registers_of(const PtxFunction& entry, const CallGraph& calls) {
  std::set<std::string_view> names;
  for (const std::string_view reached : calls.reachable(entry.name))
    for (const PtxInstruction& instruction : calls.functions.at(reached).function->instructions)
      for (const PtxOperand& operand : instruction.operands)
        if (is_special_register(operand.name)) names.insert(operand.name);
  return {names.begin(), names.end()};
}

std::optional<Obstacle> order_obstacle(const PtxTree& tree, const PtxFunction& entry, FunctionBodies& bodies) {
  const auto cause = order_cause_of(entry, bodies);
  if (!cause) return std::nullopt;
  const std::string_view text = cause->instruction->text;
  return Obstacle{std::string(text), std::string(cause->reason), tree.position(text), {}};
}

// Returns the product of a directive's numbers. Returns nullopt if the function lacks the directive.
std::optional<unsigned> number_of(const PtxFunction& entry, std::string_view name) {
  const PtxDirective* directive = entry.directive(name);
  if (directive == nullptr) return std::nullopt;
  unsigned product = 1;
  for (const std::string_view text : directive->values) {
    unsigned value = 1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    product *= value;
  }
  return product;
}

DeclaredResources resources_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls) {
  DeclaredResources resources;
  resources.parameter_bytes = parameters_end(entry, 1);
  resources.shared_bytes = shared_bytes_of(tree, entry, calls);
  resources.dynamic_shared = uses_dynamic_shared(tree, entry, calls);
  for (const PtxVariable& variable : entry.variables)
    if (variable.space == PtxSpace::local) resources.local_bytes += bytes_of(variable);
  resources.max_threads = number_of(entry, "reqntid");
  if (!resources.max_threads) resources.max_threads = number_of(entry, "maxntid");
  resources.min_blocks = number_of(entry, "minnctapersm");
  resources.max_registers = number_of(entry, "maxnreg");
  return resources;
}

}  // namespace

std::string_view to_string(TwinForm form) { return kFormNames[static_cast<std::size_t>(form)]; }

std::optional<TwinForm> twin_form(std::string_view name) {
  const auto found = std::ranges::find(kFormNames, name);
  if (found == kFormNames.end()) return std::nullopt;
  return static_cast<TwinForm>(found - kFormNames.begin());
}

bool has_shape(const std::array<std::size_t, 3>& block, BlockShape shape) {
  const bool whole_warps = block[0] % kWarp == 0;
  const bool one_row = block[1] == 1 && block[2] == 1;
  return shape == BlockShape::any || whole_warps || (shape == BlockShape::one_row && one_row);
}

std::string_view to_string(BlockShape shape) {
  switch (shape) {
    case BlockShape::any: return "any";
    case BlockShape::one_row: return "one_row";
    case BlockShape::whole_warps: return "whole_warps";
  }
  return "";
}

std::string_view words_for(BlockShape shape) {
  switch (shape) {
    case BlockShape::any: return "";
    case BlockShape::one_row: return "block.x is a multiple of 32, or block.y and block.z are 1";
    case BlockShape::whole_warps: return "block.x is a multiple of 32";
  }
  return "";
}

const Obstacle* KernelAnalysis::obstacle_to(TwinForm form) const {
  const auto found = std::ranges::find_if(
      obstacles, [&](const Obstacle& obstacle) { return obstacle.forms[static_cast<std::size_t>(form)]; });
  return found == obstacles.end() ? nullptr : &*found;
}

std::vector<KernelFacts> facts_of(const PtxTree& tree, const CallGraph& calls) {
  std::vector<KernelFacts> all;
  FunctionBodies bodies(calls);
  WaitFinder waits(bodies);
  for (const PtxFunction& function : tree.functions) {
    if (!function.entry || function.body.empty()) continue;
    const BoundaryPlan plan = plan_boundary(tree, function, bodies);
    all.push_back({.entry = &function,
                   .analysis = {.name = function.name,
                                .position = tree.position(function.name),
                                .special_registers = special_registers_of(function, calls),
                                .obstacles = obstacles_of(tree, function, calls, plan, waits),
                                .persistent_blocks = plan.blocks,
                                .order_sensitive = order_obstacle(tree, function, bodies),
                                .resources = resources_of(tree, function, calls)},
                   .boundary = plan.boundary});
  }
  return all;
}

std::vector<KernelAnalysis> analyse(const PtxTree& tree) {
  std::vector<KernelAnalysis> kernels;
  for (KernelFacts& facts : facts_of(tree, call_graph_of(tree))) kernels.push_back(std::move(facts.analysis));
  return kernels;
}

}  // namespace wattune::slice
