#include "search/strategies/algorithm.h"

#include <algorithm>

namespace wattune::inline v0_1::search {

Algorithm::~Algorithm() = default;

std::optional<ConfigurationId> Algorithm::do_propose() {
  do {
    while (!queue_.empty()) {
      const ConfigurationId id = queue_.front();
      queue_.pop_front();
      if (visited(id)) continue;
      answered_ = 0;
      fruitful_ = true;
      return id;
    }
  } while (awaited_.empty() && advance());
  return std::nullopt;
}

void Algorithm::do_learn(ConfigurationId id, std::optional<double> objective) {
  outcomes_[id] = objective;
  awaited_.erase(id);
  if (objective && (!best_ || *objective < best_->objective)) best_ = Point{id, *objective};
  do_observe(id, objective);
}

// Runs the search() coroutine until it waits. Returns false if the coroutine has ended.
bool Algorithm::advance() {
  if (frames_.empty() || stalled_) {
    if (entered_ && !begins_anew()) return false;
    if (!fruitful_) {
      const std::optional<ConfigurationId> id = draw_unvisited();
      if (!id) return false;
      queue_.push_back(*id);
    }
    begin();
    if (!queue_.empty()) return true;
  }
  while (!frames_.empty() && !waits()) frames_.back().resume();
  return true;
}

void Algorithm::begin() {
  entered_ = true;
  frames_.clear();
  body_ = Task<>();
  body_ = search();
  body_.enter(frames_);
  answered_ = 0;
  stalled_ = false;
  fruitful_ = false;
}

// True if all outcomes are known, so that the body can continue without a proposal. Returns false as well if a search
// that begins anew has continued like that too often.
bool Algorithm::answer_at_once(std::span<const ConfigurationId> ids) {
  if (!std::ranges::all_of(ids, [&](ConfigurationId id) { return known(id); })) return false;
  answered_ += std::max<std::size_t>(1, ids.size());
  stalled_ = begins_anew() && answered_ > kMostIdleAnswers;
  return !stalled_;
}

void Algorithm::require(ConfigurationId id) {
  if (known(id) || !awaited_.insert(id).second) return;
  if (!visited(id)) queue_.push_back(id);
}

std::vector<Outcome> Algorithm::Evaluations::await_resume() {
  std::vector<Outcome> outcomes;
  outcomes.reserve(ids_.size());
  for (const ConfigurationId id : ids_) outcomes.push_back(algorithm_.outcomes_.at(id));
  return outcomes;
}

std::optional<ConfigurationId> Algorithm::starting_point() {
  const bool first = !begun_;
  begun_ = true;
  if (first && best_) return best_->id;
  if (first && start()) return start();
  return draw_unvisited();
}

std::vector<ConfigurationId> Algorithm::starting_points(std::size_t n) {
  std::vector<ConfigurationId> ids;
  if (n == 0) return ids;
  if (const auto id = starting_point()) ids.push_back(*id);
  for (const ConfigurationId id : space().sample_stratified(n, random())) {
    if (ids.size() < n && !visited(id) && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  while (ids.size() < n) {
    const std::optional<ConfigurationId> id = draw_unvisited();
    if (!id) break;
    if (std::ranges::find(ids, *id) == ids.end()) ids.push_back(*id);
  }
  return ids;
}

}  // namespace wattune::search
