#include "wattune/search/method.h"

#include <algorithm>
#include <limits>

#include "search/methods/walk_order.h"
#include "search/strategies/algorithm.h"

namespace wattune::inline v0_1::search {

namespace {

class OccupancyWalk final : public Algorithm {
 public:
  OccupancyWalk(const space::SearchSpace& space, BlockShapes shapes, const WalkOptions& options)
      : Algorithm(space, {.objectives = options.objectives}),
        shapes_(std::move(shapes)),
        least_occupancy_(options.least_occupancy),
        indifference_(options.indifference),
        clock_parameter_(varied_clock(space.parameters())),
        clocks_(descending_clocks(space.parameters(), options.lower_clock)) {}

  std::optional<ConfigurationId> chosen() const override { return chosen_; }
  // Returns the shapes to compile before the walk begins, so that their occupancies are known with regard to registers
  // and shared memory.
  std::vector<ConfigurationId> prospects() override {
    std::vector<ConfigurationId> ids;
    if (!began_)
      for (const WalkCandidate& each : candidates()) ids.push_back(each.id);
    return ids;
  }
  std::size_t least_foreseen(std::size_t prospects) const override { return prospects; }

 private:
  bool begins_anew() const override { return false; }

  void do_foresee(ConfigurationId id, const CompileFeatures& features) override {
    if (features.runs)
      know_occupancy(id, features.metrics);
    else if (!began_)
      std::erase_if(candidates(), [&](const WalkCandidate& each) { return each.id == id; });
  }
  // Reads the occupancy that an earlier run recorded, so that this run takes the same way.
  void do_read(ConfigurationId id, const Observation& observation) override { know_occupancy(id, observation.metrics); }

  void know_occupancy(ConfigurationId id, const std::vector<Metric>& metrics) {
    if (began_) return;
    const auto found = std::ranges::find(candidates(), id, &WalkCandidate::id);
    const auto occupancy = std::ranges::find(metrics, "occupancy", &Metric::name);
    if (found != candidates_.end() && occupancy != metrics.end()) found->occupancy = occupancy->value;
  }

  // Returns the shapes of the walk. Before the walk begins, they are in no particular order.
  std::vector<WalkCandidate>& candidates() {
    if (!asked_for_shapes_) candidates_ = shapes_();
    asked_for_shapes_ = true;
    return candidates_;
  }

  Task<> search() override {
    candidates_ = most_promising_first(candidates(), least_occupancy_);
    began_ = true;
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

  // Lowers the clock for this shape while the cost does not get worse; returns the last clock before the cost gets
  // worse.
  Task<std::size_t> lower_clock(std::size_t shape, std::size_t clock) {
    while (clock + 1 < clocks_.size()) {
      const double here = co_await cost_at(shape, clock);
      const double next = co_await cost_at(shape, clock + 1);
      if (is_worse(next, here)) break;
      ++clock;
    }
    co_return clock;
  }

  // Walks from the first shape, at this clock, while the cost does not get worse; returns the last shape before the
  // cost gets worse.
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

  // Returns the cost of a shape at a clock. The cost is infinite if the configuration failed or is not in the space.
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

  const BlockShapes shapes_;
  const double least_occupancy_;
  std::vector<WalkCandidate> candidates_;  // shapes; once the walk has begun, the most promising is first
  bool asked_for_shapes_ = false;
  bool began_ = false;
  const double indifference_;
  const std::optional<std::size_t> clock_parameter_;
  const std::vector<std::uint16_t> clocks_;
  std::optional<ConfigurationId> chosen_;  // the configuration with the least cost so far
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> make_occupancy_walk(const space::SearchSpace& space, BlockShapes shapes,
                                              const WalkOptions& options) {
  return std::make_unique<OccupancyWalk>(space, std::move(shapes), options);
}

}  // namespace wattune::search
