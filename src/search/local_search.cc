#include "search/local_search.h"

namespace wattune::search {

LocalSearch::LocalSearch(const space::SearchSpace& space, const StrategyOptions& options)
    : Strategy(space, options),
      neighbourhood_(kNeighbourhoods.at(static_cast<std::size_t>(options.parameters.at("neighbourhood")))) {}

std::optional<ConfigurationId> LocalSearch::do_propose() {
  if (awaited_) return std::nullopt;
  while (const std::optional<ConfigurationId> candidate = do_next_candidate()) {
    if (const auto known = outcomes_.find(*candidate); known != outcomes_.end()) {
      do_judge(*candidate, known->second, false);
      continue;
    }
    awaited_ = candidate;
    // The start configuration, which ask() has proposed already.
    if (visited(*candidate)) return std::nullopt;
    return candidate;
  }
  return std::nullopt;
}

void LocalSearch::do_learn(ConfigurationId id, std::optional<double> objective) {
  outcomes_[id] = objective;
  if (objective && (!best_ || *objective < best_->objective)) best_ = Point{id, *objective};
  if (awaited_ == id) {
    awaited_.reset();
    do_judge(id, objective, true);
  }
}

void LocalSearch::move_to(const Point& point) {
  current_ = point;
  neighbours_known_ = false;
}

std::optional<ConfigurationId> LocalSearch::draw_neighbour() {
  if (!neighbours_known_) neighbours_ = space().neighbours(current_->id, neighbourhood_, kMaxNeighbours);
  neighbours_known_ = true;
  if (neighbours_.empty()) return std::nullopt;
  std::swap(neighbours_[random().below(neighbours_.size())], neighbours_.back());
  const ConfigurationId id = neighbours_.back();
  neighbours_.pop_back();
  return id;
}

std::optional<ConfigurationId> LocalSearch::starting_point() {
  const bool first = !begun_;
  begun_ = true;
  if (first && best_) return best_->id;
  if (first && start()) return start();
  return draw_unvisited();
}

}  // namespace wattune::search
