#include "wattune/search/strategy.h"

#include <cmath>

#include "search/permutation.h"
#include "wattune/core/pareto.h"

namespace wattune::search {

Strategy::Strategy(const space::SearchSpace& space, const StrategyOptions& options)
    : space_(space),
      random_(options.seed),
      objectives_(options.objectives),
      order_(std::make_unique<Permutation>(space.count(), random_)) {
  if (options.start < space.count() && space.valid(options.start)) start_ = options.start;
}

Strategy::~Strategy() = default;

std::vector<ConfigurationId> Strategy::ask(std::size_t n) {
  std::vector<ConfigurationId> ids;
  while (ids.size() < n) {
    const std::optional<ConfigurationId> id = next_proposal();
    if (!id) break;
    visited_.insert(*id);
    ids.push_back(*id);
  }
  return ids;
}

std::optional<ConfigurationId> Strategy::next_proposal() {
  if (start_ && !visited(*start_)) return start_;
  return do_propose();
}

void Strategy::tell(ConfigurationId id, const Observation& observation) {
  visited_.insert(id);
  // A time that is no number must not reach the comparisons and models of a strategy.
  const bool usable = observation.ok() && std::isfinite(observation.objective());
  if (usable && several_objectives()) {
    if (auto costs = costs_of(observation, objectives_)) costs_[id] = *std::move(costs);
  }
  if (usable) do_read(id, observation.metrics);
  do_learn(id, usable ? std::optional(observation.objective()) : std::nullopt);
}

const std::vector<double>* Strategy::costs(ConfigurationId id) const {
  const auto found = costs_.find(id);
  return found == costs_.end() ? nullptr : &found->second;
}

// The first unvisited id of a random order is equally likely to be any of the unvisited ones. The walk passes each id
// at most once, so all draws together cost no more than one pass, and the end of the walk is the end of the space.
std::optional<ConfigurationId> Strategy::draw_unvisited() {
  while (drawn_ < order_->bound()) {
    const ConfigurationId id = order_->at(drawn_++);
    if (!visited(id) && (space_.exact() || space_.valid(id))) return id;
  }
  return std::nullopt;
}

}  // namespace wattune::search
