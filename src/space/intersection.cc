#include "space/intersection.h"

#include <algorithm>

#include "space/key_set.h"

namespace wattune::space {

namespace {

// What happens to the tuple of group states at one level.
struct Step {
  struct Carry {  // a group that does not read the variable
    std::size_t from;
    std::size_t to;
  };
  struct Move {  // a group that does
    const ConstraintDiagram::Layer* layer;
    std::size_t from;     // in the tuple; kNowhere: the group begins here, at `start`
    std::size_t to;       // in the next tuple; kNowhere: the group ends here
    std::uint32_t start;
  };

  std::uint32_t variable = 0;
  std::size_t width = 0;
  std::size_t tuple_size = 0;  // before the step
  std::vector<Carry> carries;
  std::vector<Move> moves;
};

constexpr std::size_t kNowhere = ~std::size_t{0};

// Plans every level: which groups are in the tuple, and at which place.
std::vector<Step> plan(std::span<const std::uint32_t> order, std::span<const std::size_t> widths,
                       std::span<const ConstraintDiagram* const> groups) {
  std::vector<Step> steps;
  std::vector<std::size_t> layers_done(groups.size(), 0);
  std::vector<std::size_t> place(groups.size(), kNowhere);
  std::size_t tuple_size = 0;
  for (std::uint32_t variable : order) {
    Step step{variable, widths[variable], tuple_size, {}, {}};
    tuple_size = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::vector<ConstraintDiagram::Layer>& layers = groups[g]->layers;
      if (layers_done[g] < layers.size() && layers[layers_done[g]].variable == variable) {
        const bool ends = ++layers_done[g] == layers.size();
        const std::size_t to = ends ? kNowhere : tuple_size++;
        step.moves.push_back({&layers[layers_done[g] - 1], place[g], to, groups[g]->root});
        place[g] = to;
      } else if (place[g] != kNowhere) {
        step.carries.push_back({place[g], tuple_size});
        place[g] = tuple_size++;
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

// Expands one state by all values of the level's variable.
class Expansion {
 public:
  Expansion(const Step& step, std::size_t next_tuple_size, LayeredDiagram::Layer& layer)
      : step_(step), rows_(step.moves.size()), tuple_(next_tuple_size), next_(next_tuple_size), layer_(layer) {}

  void expand(const std::uint32_t* tuple) {
    for (const Step::Carry& carry : step_.carries) tuple_[carry.to] = tuple[carry.from];
    for (std::size_t m = 0; m < rows_.size(); ++m) {
      const Step::Move& move = step_.moves[m];
      rows_[m] = move.layer->row(move.from == kNowhere ? move.start : tuple[move.from]);
    }
    for (std::size_t v = 0; v < step_.width; ++v) {
      if (follow(v)) layer_.edges.push_back({static_cast<std::uint32_t>(v), next_.insert(tuple_.data()).first});
    }
    layer_.close_node();
  }

  KeySet<std::uint32_t>& next() { return next_; }

 private:
  // The tuple behind value v; false when a group forbids it.
  bool follow(std::size_t v) {
    for (std::size_t m = 0; m < rows_.size(); ++m) {
      const std::uint32_t child = rows_[m][v];
      if (child == ConstraintDiagram::kDead) return false;
      if (step_.moves[m].to != kNowhere) tuple_[step_.moves[m].to] = child;
    }
    return true;
  }

  const Step& step_;
  std::vector<const std::uint32_t*> rows_;
  std::vector<std::uint32_t> tuple_;
  KeySet<std::uint32_t> next_;
  LayeredDiagram::Layer& layer_;
};

}  // namespace

std::optional<LayeredDiagram> intersect(std::span<const std::uint32_t> order, std::span<const std::size_t> widths,
                                        std::span<const ConstraintDiagram* const> groups, Budget& budget) {
  LayeredDiagram diagram;
  diagram.empty = std::ranges::any_of(groups, [](const auto* group) { return group->root == ConstraintDiagram::kDead; });
  if (diagram.empty) return diagram;
  const std::vector<Step> steps = plan(order, widths, groups);
  KeySet<std::uint32_t> states(0);
  const std::uint32_t nothing = 0;
  states.insert(&nothing);
  for (std::size_t l = 0; l < steps.size(); ++l) {
    LayeredDiagram::Layer& layer = diagram.layers.emplace_back();
    layer.variable = steps[l].variable;
    Expansion expansion(steps[l], l + 1 < steps.size() ? steps[l + 1].tuple_size : 0, layer);
    for (std::size_t state = 0; state < states.size(); ++state) {
      const std::size_t before = expansion.next().size();
      if (!budget.take_steps(steps[l].width)) return std::nullopt;
      expansion.expand(states[state]);
      if (!budget.take_states(expansion.next().size() - before)) return std::nullopt;
    }
    states = std::move(expansion.next());
  }
  reduce(diagram);
  return diagram;
}

}  // namespace wattune::space
