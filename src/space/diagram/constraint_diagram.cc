#include "space/diagram/constraint_diagram.h"

#include <algorithm>
#include <bit>
#include <set>

#include "space/diagram/key_set.h"

namespace wattune::inline v0_1::space {

namespace {

using Layer = ConstraintDiagram::Layer;
constexpr std::uint32_t kDead = ConstraintDiagram::kDead;
constexpr std::uint32_t kTrue = ConstraintDiagram::kTrue;
// The number of words for which a long state counts as one more state in the budget, which limits the number of states.
constexpr std::size_t kWordsPerUnitOfWeight = 4;

// A state encoded in words: one word per frontier cell, then the kinds of the cells in three bits each. The lowest bit
// of the first word of kinds is set in every state except kTrue, whose words are all zero.
class StateCode {
 public:
  explicit StateCode(std::size_t cells) : cells_(cells), words_(cells + (cells + kPerWord) / kPerWord) {}

  std::size_t words() const { return words_.size(); }

  const std::uint64_t* encode(const ConstraintProgram::Level& level, std::span<const Cell> cells) {
    std::fill(words_.begin() + static_cast<std::ptrdiff_t>(cells_), words_.end(), 0);
    words_[cells_] = 1;
    for (std::size_t i = 0; i < cells_; ++i) {
      const Cell& cell = cells[level.frontier[i]];
      words_[i] = cell.is_value() ? bits(cell.value) : 0;
      words_[cells_ + (i + 1) / kPerWord] |= kind(cell) << ((i + 1) % kPerWord * kBits);
    }
    return words_.data();
  }

  void decode(const ConstraintProgram::Level& level, const std::uint64_t* words, std::span<Cell> cells) const {
    for (std::size_t i = 0; i < cells_; ++i) {
      const std::uint64_t kind = words[cells_ + (i + 1) / kPerWord] >> ((i + 1) % kPerWord * kBits) & 7;
      cells[level.frontier[i]] = cell(kind, words[i]);
    }
  }

 private:
  static constexpr std::size_t kBits = 3;
  static constexpr std::size_t kPerWord = 64 / kBits;
  static constexpr std::uint64_t kBlank = 0;
  static constexpr std::uint64_t kFault = 1;
  static constexpr std::uint64_t kValue = 2;  // the kind of the value is added to this number

  static std::uint64_t kind(const Cell& cell) {
    if (cell.is_value()) return kValue + static_cast<std::uint64_t>(cell.value.kind);
    return cell.state == Cell::State::fault ? kFault : kBlank;
  }
  static std::uint64_t bits(const Scalar& scalar) {
    if (scalar.kind == Value::Kind::real) return std::bit_cast<std::uint64_t>(scalar.real);
    if (scalar.is_string()) return reinterpret_cast<std::uintptr_t>(scalar.string);
    return static_cast<std::uint64_t>(scalar.integer);
  }
  static Cell cell(std::uint64_t kind, std::uint64_t bits) {
    if (kind == kBlank) return {};
    if (kind == kFault) return Cell::failed();
    Scalar scalar;
    scalar.kind = static_cast<Value::Kind>(kind - kValue);
    if (scalar.kind == Value::Kind::real) {
      scalar.real = std::bit_cast<double>(bits);
    } else if (scalar.is_string()) {
      scalar.string = reinterpret_cast<const std::string*>(static_cast<std::uintptr_t>(bits));
    } else {
      scalar.integer = static_cast<std::int64_t>(bits);
    }
    return Cell::of(scalar);
  }

  std::size_t cells_;
  std::vector<std::uint64_t> words_;
};

class Builder {
 public:
  Builder(const ConstraintProgram& program, const Domains& domains, Budget& budget)
      : program_(program),
        domains_(domains),
        budget_(budget),
        cells_(program.initial_cells()),
        ranges_(cells_.size()),
        faulty_(program.always_faulty.begin(), program.always_faulty.end()) {
    for (NodeId id = 0; id < cells_.size(); ++id) ranges_[id] = Range::of(cells_[id]);
    for (const ConstraintProgram::Level& level : program.levels) ranges_[level.variable_node] = level.variable_range;
  }

  std::optional<ConstraintDiagram> build() {
    if (program_.contradiction) {
      result_.root = kDead;
      return std::move(result_);
    }
    KeySet<std::uint64_t> states = start();
    for (std::size_t l = 0; l < program_.levels.size(); ++l) {
      if (!expand(l, states)) return std::nullopt;
    }
    minimise();
    result_.faulty.assign(faulty_.begin(), faulty_.end());
    return std::move(result_);
  }

 private:
  using States = KeySet<std::uint64_t>;

  // Returns an empty table of states for a new layer, in which kTrue is number 0.
  static States states_of(StateCode& code) {
    States states(code.words());
    const std::vector<std::uint64_t> zeros(code.words(), 0);
    states.insert(zeros.data());
    return states;
  }

  States start() {
    StateCode code(0);
    States states = states_of(code);
    result_.root = settle(0, code, states);
    return states;
  }

  // Returns the number of the state that the present cells form at level l, without the constraints that are settled.
  // Returns kDead if one of the constraints certainly fails, and kTrue if no constraint is unsettled.
  std::uint32_t settle(std::size_t l, StateCode& code, States& states) {
    const ConstraintProgram::Level& level = program_.levels[l];
    for (NodeId id : level.frontier) ranges_[id] = Range::of(cells_[id]);
    for (NodeId id : level.open) ranges_[id] = range_of(program_.graph, id, ranges_);
    std::uint64_t unsettled = 0;
    for (std::uint32_t i : level.open_roots) {
      const Range& range = ranges_[program_.roots[i].node];
      if (range.blank) continue;
      const bool demands_fault = program_.roots[i].rule == FaultRule::demand;
      if (demands_fault ? !range.may_fail : range.certainly_false()) return kDead;
      if (demands_fault || !range.certainly_true()) unsettled |= ConstraintProgram::root_bit(i);
    }
    if (unsettled == 0) return kTrue;
    for (std::size_t i = 0; i < level.frontier.size(); ++i) {
      if ((level.readers[i] & unsettled) == 0) cells_[level.frontier[i]] = Cell();
    }
    return states.insert(code.encode(level, cells_)).first;
  }

  bool expand(std::size_t l, States& states);
  bool assign(std::size_t l, const Cell& value);
  void minimise();

  const ConstraintProgram& program_;
  const Domains& domains_;
  Budget& budget_;
  std::vector<Cell> cells_;
  std::vector<Range> ranges_;
  std::set<std::uint32_t> faulty_;
  ConstraintDiagram result_;
};

// Computes the nodes that close when level l gets this value. Returns false if one of the constraints that close fails.
bool Builder::assign(std::size_t l, const Cell& value) {
  const ConstraintProgram::Level& level = program_.levels[l];
  cells_[level.variable_node] = value;
  for (NodeId id : level.closing) cells_[id] = program_.graph.evaluate(id, cells_);
  for (std::uint32_t i : level.roots) {
    const Root& root = program_.roots[i];
    if (cells_[root.node].state == Cell::State::fault) faulty_.insert(root.term);
    if (!passes(cells_[root.node], root.rule)) return false;
  }
  return true;
}

// Replaces the states of level l by those of the next level. Returns false if the budget is exhausted.
bool Builder::expand(std::size_t l, States& states) {
  const ConstraintProgram::Level& level = program_.levels[l];
  const bool last = l + 1 == program_.levels.size();
  const std::vector<Cell>& values = domains_.cells[level.variable];
  StateCode code(level.frontier.size());
  StateCode next_code(last ? 0 : program_.levels[l + 1].frontier.size());
  States next = states_of(next_code);
  States unsettled(next_code.words());
  std::vector<std::uint32_t> settled;  // by the state's number in `unsettled`: its number after settle()

  Layer& layer = result_.layers.emplace_back(Layer{level.variable, values.size(), {}});
  layer.children.assign(values.size(), kTrue);
  if (!budget_.take_steps((states.size() - 1) * values.size())) return false;
  for (std::size_t state = 1; state < states.size(); ++state) {
    code.decode(level, states[state], cells_);
    for (const Cell& value : values) {
      if (!assign(l, value)) {
        layer.children.push_back(kDead);
        continue;
      }
      if (last) {
        layer.children.push_back(kTrue);
        continue;
      }
      const auto [number, is_new] = unsettled.insert(next_code.encode(program_.levels[l + 1], cells_));
      if (is_new) {
        if (!budget_.take_states(1, 1 + next_code.words() / kWordsPerUnitOfWeight)) return false;
        settled.push_back(settle(l + 1, next_code, next));
        code.decode(level, states[state], cells_);  // again, since settle() overwrites cells
      }
      layer.children.push_back(settled[number]);
    }
  }
  states = std::move(next);
  return true;
}

// Merges equal rows, from the last layer up. Before that, the states in each row are replaced by the merged states of
// the layer below.
void Builder::minimise() {
  std::vector<std::uint32_t> below;  // by state of the layer below: its merged state
  for (std::size_t l = result_.layers.size(); l-- > 0;) {
    Layer& layer = result_.layers[l];
    KeySet<std::uint32_t> rows(layer.width);
    std::vector<std::uint32_t> merged;
    for (std::size_t begin = 0; begin < layer.children.size(); begin += layer.width) {
      std::uint32_t* row = layer.children.data() + begin;
      bool dead = true;
      for (std::size_t v = 0; v < layer.width; ++v) {
        if (row[v] != kDead && !below.empty()) row[v] = below[row[v]];
        dead &= row[v] == kDead;
      }
      merged.push_back(dead ? kDead : rows.insert(row).first);
    }
    layer.children = std::move(rows).take_words();
    below = std::move(merged);
  }
  if (result_.root != kDead) result_.root = below[result_.root];
}

}  // namespace

std::optional<ConstraintDiagram> build_constraint_diagram(const ConstraintProgram& program, const Domains& domains,
                                                          Budget& budget) {
  return Builder(program, domains, budget).build();
}

}  // namespace wattune::space
