#include "wattune/search/occupancy_walk.h"

#include <algorithm>
#include <limits>

#include "search/algorithm.h"

namespace wattune::search {

namespace {

// The most promising first.
std::vector<WalkCandidate> in_order(std::vector<WalkCandidate> candidates, double least_occupancy) {
  double best = 0.0;
  for (const WalkCandidate& each : candidates) best = std::max(best, each.occupancy);
  std::erase_if(candidates, [&](const WalkCandidate& each) { return each.occupancy < least_occupancy * best; });
  std::ranges::stable_sort(candidates, [](const WalkCandidate& a, const WalkCandidate& b) {
    return a.occupancy != b.occupancy ? a.occupancy > b.occupancy : a.threads > b.threads;
  });
  return candidates;
}

// Where the graphics clock stands among the parameters; none: it does not vary.
std::optional<std::size_t> varied_clock(const std::vector<Parameter>& parameters) {
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].role == ParameterRole::graphics_clock && parameters[p].values.size() > 1) return p;
  return std::nullopt;
}

class OccupancyWalk final : public Algorithm {
 public:
  OccupancyWalk(const space::SearchSpace& space, std::vector<WalkCandidate> candidates, const WalkOptions& options)
      : Algorithm(space, {.objectives = options.objectives}),
        candidates_(in_order(std::move(candidates), options.least_occupancy)),
        indifference_(options.indifference),
        clock_parameter_(varied_clock(space.parameters())),
        clocks_(descending_clocks(options.lower_clock)) {}

  std::optional<ConfigurationId> chosen() const override { return chosen_; }

 private:
  bool begins_anew() const override { return false; }

  Task<> search() override {
    if (candidates_.empty()) co_return;
    co_await cost_at(0, 0);
    std::size_t clock = 0;
    for (std::size_t shape = 0;;) {
      clock = co_await lower_clock(shape, clock);
      const std::size_t walked_to = co_await walk_shapes(clock);
      if (walked_to == shape || clock + 1 == clocks_.size()) co_return;
      shape = walked_to;
    }
  }

  // The clock at which this shape meets the first that is worse, going down.
  Task<std::size_t> lower_clock(std::size_t shape, std::size_t clock) {
    while (clock + 1 < clocks_.size()) {
      const double here = co_await cost_at(shape, clock);
      const double next = co_await cost_at(shape, clock + 1);
      if (is_worse(next, here)) break;
      ++clock;
    }
    co_return clock;
  }

  // The same over the shapes from the first one on.
  Task<std::size_t> walk_shapes(std::size_t clock) {
    std::size_t shape = 0;
    while (shape + 1 < candidates_.size()) {
      const double here = co_await cost_at(shape, clock);
      const double next = co_await cost_at(shape + 1, clock);
      if (is_worse(next, here)) break;
      ++shape;
    }
    co_return shape;
  }

  // Infinite for what fails or is not in the space.
  Task<double> cost_at(std::size_t shape, std::size_t clock) {
    space::ValueIndices indices;
    space().unrank(candidates_[shape].id, indices);
    if (clock_parameter_) indices[*clock_parameter_] = clocks_[clock];
    if (!space().contains(indices)) co_return std::numeric_limits<double>::infinity();
    const ConfigurationId id = space().rank(indices);
    const double its = cost_of(id, co_await evaluate(id));
    if (its < least_) chosen_ = id;
    least_ = std::min(least_, its);
    co_return its;
  }

  double cost_of(ConfigurationId id, const Outcome& outcome) const {
    if (!several_objectives()) return cost(outcome);
    return costs(id) != nullptr ? costs(id)->front() : std::numeric_limits<double>::infinity();
  }

  bool is_worse(double next, double here) const { return next > here * (1.0 + indifference_); }

  // Places of its values; without a clock that varies a single one, which nobody reads.
  std::vector<std::uint16_t> descending_clocks(bool all) const {
    if (!clock_parameter_) return {0};
    const std::vector<Value>& values = space().parameters()[*clock_parameter_].values;
    std::vector<std::uint16_t> places(values.size());
    for (std::uint16_t place = 0; place < values.size(); ++place) places[place] = place;
    std::ranges::sort(places, std::ranges::greater(),
                      [&](std::uint16_t place) { return values[place].is_number() ? values[place].as_real() : 0.0; });
    if (!all) places.resize(1);
    return places;
  }

  const std::vector<WalkCandidate> candidates_;  // the most promising first
  const double indifference_;
  const std::optional<std::size_t> clock_parameter_;
  const std::vector<std::uint16_t> clocks_;
  std::optional<ConfigurationId> chosen_;  // the least that was met
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> make_occupancy_walk(const space::SearchSpace& space, std::vector<WalkCandidate> candidates,
                                              const WalkOptions& options) {
  return std::make_unique<OccupancyWalk>(space, std::move(candidates), options);
}

}  // namespace wattune::search
