#include "space/diagram/intersection.h"

#include <algorithm>

#include "space/diagram/key_set.h"
#include "space/diagram/value_sets.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};
// Number of words of a state's tuple that count as one more state in the budget.
constexpr std::size_t kTupleWordsPerUnitOfWeight = 8;

// The transition of a group that reads the level's variable. It says where the group's state is in the tuple before and
// after the transition.
struct Move {
  const ConstraintDiagram::Layer* layer;
  std::uint32_t start;  // the group's state if it begins at this level
  std::size_t from;     // place of the state in the tuple; kNowhere if the group begins here
  std::size_t to;       // place of the state in the next tuple; kNowhere if the group ends here
  // The sets for a group that has only one variable left after the transition; nullptr for any other group. `sets` are
  // the sets of that variable, and `set_of_state` is the set that each state of the group's last layer allows. `to` is
  // then the place of the variable's set.
  ValueSets* sets;
  const std::vector<std::uint32_t>* set_of_state;
};

// The changes of the tuple at one level.
struct Step {
  std::uint32_t variable = 0;
  std::size_t width = 0;
  std::size_t tuple_size = 0;                                // size of the tuple before the step
  const ValueSets* sets = nullptr;                           // sets of the level's variable
  std::size_t set_place = kNowhere;                          // place of the set of values that waiting groups allow
  std::vector<std::pair<std::size_t, std::size_t>> carries;  // places of unchanged states, as pairs (from, to)
  std::vector<Move> moves;
};

// The layout of the tuple at every level. First come the states of groups that have begun and wait for at least two
// variables, then the sets of variables that groups wait for.
class Plan {
 public:
  Plan(std::span<const std::uint32_t> order, std::span<const std::size_t> widths,
       std::span<const ConstraintDiagram> groups)
      : set_place_(widths.size(), kNowhere) {
    for (const ConstraintDiagram& group : groups) {
      if (group.root != ConstraintDiagram::kTrue) groups_.push_back({&group, 0, kNowhere, {}});
    }
    for (std::size_t width : widths) sets_.emplace_back(width);
    for (Member& member : groups_) {
      const ConstraintDiagram::Layer& last = member.group->layers.back();
      for (std::size_t at = 0; at < last.children.size(); at += last.width) {
        member.set_of_state.push_back(sets_[last.variable].insert_row(last.children.data() + at));
      }
    }
    for (std::size_t l = 0; l < order.size(); ++l) add_step(order[l], widths[order[l]], order.subspan(l + 1));
  }

  const std::vector<Step>& steps() const { return steps_; }

 private:
  struct Member {
    const ConstraintDiagram* group;
    std::size_t layers_done;
    std::size_t place;  // place of its state in the tuple; kNowhere if not begun, or if it waits
    std::vector<std::uint32_t> set_of_state;

    bool reads(std::uint32_t variable) const {
      return layers_done < group->layers.size() && group->layers[layers_done].variable == variable;
    }
    // True if the group waits for a single variable. Then the group's state is contained in the set of that variable.
    bool waits() const { return layers_done > 0 && layers_done + 1 == group->layers.size(); }
  };

  void add_step(std::uint32_t variable, std::size_t width, std::span<const std::uint32_t> later) {
    Step step{variable, width, tuple_size_, &sets_[variable], set_place_[variable], {}, {}};
    tuple_size_ = 0;
    set_place_[variable] = kNowhere;
    for (Member& member : groups_) place_state(member, variable, step);
    place_sets(later, step);
    steps_.push_back(std::move(step));
  }

  void place_state(Member& member, std::uint32_t variable, Step& step) {
    if (member.reads(variable)) {
      const bool waited = member.waits();
      const ConstraintDiagram::Layer& layer = member.group->layers[member.layers_done++];
      if (waited) return;  // the variable's set already represents the group
      const bool stays = member.layers_done + 1 < member.group->layers.size();
      const std::size_t to = stays ? tuple_size_++ : kNowhere;
      step.moves.push_back({&layer, member.group->root, member.place, to, nullptr, nullptr});
      member.place = to;
      if (!member.waits()) return;
      ValueSets& sets = sets_[member.group->layers.back().variable];
      step.moves.back().sets = &sets;
      step.moves.back().set_of_state = &member.set_of_state;
    } else if (member.place != kNowhere) {
      step.carries.emplace_back(member.place, tuple_size_);
      member.place = tuple_size_++;
    }
  }

  void place_sets(std::span<const std::uint32_t> later, Step& step) {
    for (std::uint32_t variable : later) {
      const bool awaited =
          std::ranges::any_of(step.moves, [&](const Move& move) { return move.sets == &sets_[variable]; });
      if (!awaited && set_place_[variable] == kNowhere) continue;
      if (set_place_[variable] != kNowhere) step.carries.emplace_back(set_place_[variable], tuple_size_);
      for (Move& move : step.moves) {
        if (move.sets == &sets_[variable]) move.to = tuple_size_;
      }
      set_place_[variable] = tuple_size_++;
    }
  }

  std::vector<Member> groups_;
  std::vector<ValueSets> sets_;         // sets of each variable
  std::vector<std::size_t> set_place_;  // place of each variable's set; kNowhere if no group waits for the variable
  std::size_t tuple_size_ = 0;
  std::vector<Step> steps_;
};

// Expands the states of one level by all values of its variable.
class Expansion {
 public:
  Expansion(const Step& step, std::size_t next_tuple_size, LayeredDiagram::Layer& layer)
      : step_(step),
        rows_(step.moves.size()),
        base_(next_tuple_size, ValueSets::kAll),
        next_(next_tuple_size),
        layer_(layer) {}

  void expand(const std::uint32_t* tuple) {
    for (const auto& [from, to] : step_.carries) base_[to] = tuple[from];
    for (std::size_t m = 0; m < rows_.size(); ++m) {
      const Move& move = step_.moves[m];
      rows_[m] = move.layer->row(move.from == kNowhere ? move.start : tuple[move.from]);
    }
    const std::uint32_t allowed = step_.set_place == kNowhere ? ValueSets::kAll : tuple[step_.set_place];
    for (std::size_t v = 0; v < step_.width; ++v) {
      if (allowed != ValueSets::kAll && !step_.sets->contains(allowed, v)) continue;
      if (follow(v)) layer_.edges.push_back({static_cast<std::uint32_t>(v), next_.insert(tuple_.data()).first});
    }
    layer_.close_node();
  }

  KeySet<std::uint32_t>& next() { return next_; }

 private:
  // Computes the tuple that follows if the level's variable takes value v. Returns false if a group forbids that value.
  bool follow(std::size_t v) {
    for (const std::uint32_t* row : rows_) {
      if (row[v] == ConstraintDiagram::kDead) return false;
    }
    tuple_ = base_;
    for (std::size_t m = 0; m < rows_.size(); ++m) {
      const Move& move = step_.moves[m];
      if (move.to == kNowhere) continue;
      std::uint32_t& place = tuple_[move.to];
      if (move.sets == nullptr) {
        place = rows_[m][v];
      } else {
        place = move.sets->intersection(place, (*move.set_of_state)[rows_[m][v]]);
        if (place == ValueSets::kNone) return false;
      }
    }
    return true;
  }

  const Step& step_;
  std::vector<const std::uint32_t*> rows_;
  std::vector<std::uint32_t> base_;  // the next tuple before the transitions of groups
  std::vector<std::uint32_t> tuple_;
  KeySet<std::uint32_t> next_;
  LayeredDiagram::Layer& layer_;
};

}  // namespace

std::optional<LayeredDiagram> intersect(std::span<const std::uint32_t> order, std::span<const std::size_t> widths,
                                        std::span<const ConstraintDiagram> groups, Budget& budget) {
  LayeredDiagram diagram;
  diagram.empty = std::ranges::any_of(groups, [](const auto& group) { return group.root == ConstraintDiagram::kDead; });
  if (diagram.empty) return diagram;
  const Plan plan(order, widths, groups);
  const std::vector<Step>& steps = plan.steps();
  KeySet<std::uint32_t> states(0);
  const std::uint32_t nothing = 0;
  states.insert(&nothing);
  for (std::size_t l = 0; l < steps.size(); ++l) {
    LayeredDiagram::Layer& layer = diagram.layers.emplace_back();
    layer.variable = steps[l].variable;
    const std::size_t next_size = l + 1 < steps.size() ? steps[l + 1].tuple_size : 0;
    Expansion expansion(steps[l], next_size, layer);
    for (std::size_t state = 0; state < states.size(); ++state) {
      const std::size_t before = expansion.next().size();
      if (!budget.take_steps(steps[l].width)) return std::nullopt;
      expansion.expand(states[state]);
      const std::size_t added = expansion.next().size() - before;
      if (!budget.take_states(added, 1 + next_size / kTupleWordsPerUnitOfWeight)) return std::nullopt;
    }
    states = std::move(expansion.next());
  }
  reduce(diagram);
  return diagram;
}

}  // namespace wattune::space
