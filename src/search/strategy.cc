#include "wattune/search/strategy.h"

#include <algorithm>
#include <cmath>

#include "core/interface/energy.h"
#include "core/interface/pareto.h"
#include "search/strategies/permutation.h"

namespace wattune::inline v0_1::search {

namespace {

// Limits for drawing an id from a space that is not exact, in which some ids are invalid. The first limits the ids that
// are skipped, and the second the samples that are taken after that. The third limits the ids that are tried in
// ascending order if all samples are visited.
constexpr std::size_t kMostSkippedIds = 256;
constexpr std::size_t kMostSamples = 64;
constexpr std::size_t kMostFollowedIds = 4'000;

// Returns the costs of an observation. If only a lower bound of its energy is known, the bound takes the place of the
// energy. The bound suffices, because even with it another configuration is better in all costs.
std::optional<std::vector<double>> known_costs(const Observation& observation,
                                               const std::vector<Objective>& objectives) {
  if (!was_left_out(observation)) return costs_of(observation, objectives);
  Observation bounded = observation;
  std::ranges::find(bounded.metrics, kLeastEnergy, &Metric::name)->name = "energy";
  return costs_of(bounded, objectives);
}

}  // namespace

Strategy::Strategy(const space::SearchSpace& space, const StrategyOptions& options)
    : space_(space),
      random_(options.seed),
      objectives_(options.objectives),
      order_(std::make_unique<Permutation>(space.count(), random_)) {
  if (options.start && *options.start < space.count() && space.valid(*options.start)) start_ = options.start;
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
  const std::optional<double> objective = usable_objective(observation);
  if (objective && several_objectives()) {
    if (auto costs = known_costs(observation, objectives_)) costs_[id] = *std::move(costs);
  }
  if (objective) do_read(id, observation);
  do_learn(id, objective);
}

void Strategy::foresee(ConfigurationId id, const CompileFeatures& features) {
  if (visited(id)) return;
  if (!features.runs) visited_.insert(id);
  do_foresee(id, features);
}

// Returns the objective if a strategy may use it. NaN must not reach a strategy's comparisons and models. Models work
// with ratios, which need positive numbers. The sign of the first objective says whether the metric is to be maximised.
std::optional<double> Strategy::usable_objective(const Observation& observation) {
  if (!observation.has_objective()) return std::nullopt;
  const double objective = observation.objective();
  if (!negative_) negative_ = objective < 0.0;
  if (*negative_ && objective >= 0.0) return std::nullopt;
  return positive(*negative_ ? objective : std::max(objective, 0.0));
}

const std::vector<double>* Strategy::costs(ConfigurationId id) const {
  const auto found = costs_.find(id);
  return found == costs_.end() ? nullptr : &found->second;
}

// Draws an unvisited id along a random order of all ids. The first unvisited id in that order is equally likely to be
// any of the unvisited ids. The walk passes each id at most once, so all draws together cost no more than one pass, and
// the end of the walk is the end of the space.
std::optional<ConfigurationId> Strategy::draw_unvisited() {
  for (std::size_t passed = 0; drawn_ < order_->bound(); ++passed) {
    if (!space_.exact() && passed == kMostSkippedIds) return sample_unvisited();
    const ConfigurationId id = order_->at(drawn_++);
    if (!visited(id) && space_.valid(id)) return id;
  }
  return std::nullopt;
}

// Samples an unvisited id in a space that is not exact. If few ids are valid, a walk along all ids would take too long.
// If few ids are unvisited, ids are tried in ascending order.
std::optional<ConfigurationId> Strategy::sample_unvisited() {
  ConfigurationId id = space_.sample(random_);
  for (std::size_t i = 1; i < kMostSamples && visited(id); ++i) id = space_.sample(random_);
  std::optional<ConfigurationId> next = id;
  for (std::size_t i = 0; i < kMostFollowedIds && next && visited(*next); ++i) next = space_.next(*next + 1);
  if (!next) next = space_.next(0);
  for (std::size_t i = 0; i < kMostFollowedIds && next && visited(*next); ++i) next = space_.next(*next + 1);
  return next && !visited(*next) ? next : std::nullopt;
}

}  // namespace wattune::search
