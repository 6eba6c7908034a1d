#include "slice/flow.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::uint32_t kNoBlock = std::numeric_limits<std::uint32_t>::max();

bool is_branch(const PtxInstruction& instruction) { return instruction.opcode == "bra" || instruction.opcode == "brx"; }

bool ends_block(const PtxInstruction& instruction) {
  return is_branch(instruction) || leaves(instruction) || instruction.opcode == "trap";
}

// Finds labels by name. A label is visible in its own scope and in the scopes inside. If several labels have the same
// name, the innermost label is found.
class LabelFinder {
 public:
  explicit LabelFinder(const PtxFunction& function) : function_(function) {
    for (const PtxLabel& label : function.labels) labels_.emplace(label.name, &label);
  }

  std::optional<std::uint32_t> instruction_at(std::string_view name, std::uint32_t scope) const {
    const auto [first, last] = labels_.equal_range(name);
    for (;; scope = function_.scopes[scope].parent) {
      for (auto label = first; label != last; ++label)
        if (label->second->scope == scope) return label->second->instruction;
      if (scope == 0) return std::nullopt;
    }
  }

 private:
  const PtxFunction& function_;
  std::unordered_multimap<std::string_view, const PtxLabel*> labels_;
};

std::vector<std::uint32_t> first_instructions(const PtxFunction& function) {
  const auto count = static_cast<std::uint32_t>(function.instructions.size());
  std::vector<std::uint32_t> firsts = {0, count};
  for (const PtxLabel& label : function.labels) firsts.push_back(label.instruction);
  for (std::uint32_t i = 0; i < count; ++i)
    if (ends_block(function.instructions[i])) firsts.push_back(i + 1);
  std::ranges::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  return firsts;
}

// Returns the target of `bra label`, or all targets of `brx.idx register, table`.
std::vector<std::string_view> branch_targets(const PtxFunction& function, const PtxInstruction& branch) {
  if (branch.operands.empty()) return {};
  const std::string_view name = branch.operands.back().name;
  if (branch.opcode == "bra") return {name};
  for (const PtxTable& table : function.tables)
    if (table.name == name) return table.targets;
  return {};
}

void add_successors(const PtxFunction& function, const LabelFinder& labels, Flow& flow, FlowBlock& block) {
  if (block.first == block.last) return;
  const PtxInstruction& last = function.instructions[block.last - 1];
  if (is_branch(last)) {
    for (const std::string_view target : branch_targets(function, last))
      if (const auto at = labels.instruction_at(target, last.scope)) block.successors.push_back(flow.block_of(*at));
  } else if (leaves(last)) {
    block.successors.push_back(flow.exit);
  }
  if (!ends_block(last) || !last.guard.empty()) block.successors.push_back(flow.block_of(block.last));
}

// Returns the edges between the listed blocks, which are numbered by their index in the list. `places` is working
// memory, with one element for each block of the function.
Edges edges_among(const Flow& flow, const std::vector<std::uint32_t>& blocks, std::vector<std::uint32_t>& places) {
  for (std::uint32_t i = 0; i < blocks.size(); ++i) places[blocks[i]] = i;
  Edges edges(blocks.size());
  for (std::uint32_t i = 0; i < blocks.size(); ++i)
    for (const std::uint32_t successor : flow.blocks[blocks[i]].successors)
      if (places[successor] != kNoBlock) edges[i].push_back(places[successor]);
  for (const std::uint32_t block : blocks) places[block] = kNoBlock;
  return edges;
}

// Returns the nearest common ancestor of two blocks in the tree of dominators. `order` is larger for blocks nearer to
// the root.
std::uint32_t meet(const std::vector<std::uint32_t>& parent, const std::vector<std::uint32_t>& order, std::uint32_t a,
                   std::uint32_t b) {
  while (a != b) {
    while (order[a] < order[b]) a = parent[a];
    while (order[b] < order[a]) b = parent[b];
  }
  return a;
}

// Returns the first listed block that is entered from a block outside the list.
std::uint32_t head_of(const std::vector<std::uint32_t>& blocks, const Edges& predecessors) {
  const auto is_entered = [&](std::uint32_t block) {
    return std::ranges::any_of(predecessors[block], [&](std::uint32_t predecessor) {
      return !std::ranges::binary_search(blocks, predecessor);
    });
  };
  const auto head = std::ranges::find_if(blocks, is_entered);
  return head == blocks.end() ? blocks.front() : *head;
}

}  // namespace

bool leaves(const PtxInstruction& instruction) { return instruction.opcode == "ret" || instruction.opcode == "exit"; }

std::uint32_t Flow::block_of(std::uint32_t instruction) const {
  const auto behind = std::ranges::upper_bound(blocks, instruction, {}, &FlowBlock::first);
  return static_cast<std::uint32_t>(behind - blocks.begin()) - 1;
}

Flow flow_of(const PtxFunction& function) {
  Flow flow;
  const std::vector<std::uint32_t> firsts = first_instructions(function);
  for (std::size_t i = 0; i < firsts.size(); ++i)
    flow.blocks.push_back({firsts[i], i + 1 < firsts.size() ? firsts[i + 1] : firsts[i], {}});
  flow.exit = static_cast<std::uint32_t>(flow.blocks.size()) - 1;
  const LabelFinder labels(function);
  for (FlowBlock& block : flow.blocks) add_successors(function, labels, flow, block);
  return flow;
}

Edges predecessors_of(const Flow& flow) {
  Edges predecessors(flow.blocks.size());
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block)
    for (const std::uint32_t successor : flow.blocks[block].successors) predecessors[successor].push_back(block);
  return predecessors;
}

// Uses the algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on the graph with
// reversed edges.
std::vector<std::uint32_t> post_dominators(const Flow& flow) {
  const Edges predecessors = predecessors_of(flow);
  std::vector<std::uint32_t> order(flow.blocks.size(), 0);
  std::vector<std::uint32_t> sequence;
  std::vector<bool> seen(flow.blocks.size(), false);
  walk_in_depth(predecessors, flow.exit, seen, [&](std::uint32_t block) {
    order[block] = static_cast<std::uint32_t>(sequence.size());
    sequence.push_back(block);
  });
  std::vector<std::uint32_t> parent(flow.blocks.size(), kNoBlock);
  parent[flow.exit] = flow.exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = sequence.rbegin(); block != sequence.rend(); ++block) {
      if (*block == flow.exit) continue;
      std::uint32_t met = kNoBlock;
      for (const std::uint32_t successor : flow.blocks[*block].successors)
        if (parent[successor] != kNoBlock) met = met == kNoBlock ? successor : meet(parent, order, met, successor);
      changed |= std::exchange(parent[*block], met) != met;
    }
  }
  std::ranges::replace(parent, kNoBlock, flow.exit);
  return parent;
}

// Finds the loops. Cycles that remain when the head of a loop is removed are the inner loops of this loop.
std::vector<Loop> loops_of(const Flow& flow) {
  const Edges predecessors = predecessors_of(flow);
  std::vector<std::uint32_t> places(flow.blocks.size(), kNoBlock);
  std::vector<std::uint32_t> all(flow.blocks.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<std::vector<std::uint32_t>> open = {std::move(all)};
  std::vector<Loop> loops;
  while (!open.empty()) {
    const std::vector<std::uint32_t> blocks = std::move(open.back());
    open.pop_back();
    const Components components = components_of(edges_among(flow, blocks, places));
    for (const std::vector<std::uint32_t>& members : components.members()) {
      if (!components.in_loop(members.front())) continue;
      Loop loop;
      for (const std::uint32_t member : members) loop.blocks.push_back(blocks[member]);
      loop.head = head_of(loop.blocks, predecessors);
      std::vector<std::uint32_t> rest = loop.blocks;
      std::erase(rest, loop.head);
      if (!rest.empty()) open.push_back(std::move(rest));
      loops.push_back(std::move(loop));
    }
  }
  return loops;
}

std::vector<std::uint32_t> blocks_between(const Flow& flow, std::uint32_t branch, std::uint32_t meeting) {
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<std::uint32_t> region;
  seen[meeting] = true;
  const auto add_blocks_behind = [&](std::uint32_t from) {
    for (const std::uint32_t successor : flow.blocks[from].successors) {
      if (!seen[successor]) region.push_back(successor);
      seen[successor] = true;
    }
  };
  add_blocks_behind(branch);
  for (std::size_t i = 0; i < region.size(); ++i) add_blocks_behind(region[i]);
  return region;
}

}  // namespace wattune::slice
