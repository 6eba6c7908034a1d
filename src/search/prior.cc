#include "search/prior.h"

#include <algorithm>
#include <cmath>

namespace wattune::search {

namespace {

constexpr std::size_t kPriorRows = 2000;  // the best and, of the others, evenly spread ones that the forest learns
constexpr std::size_t kPriorTrees = 30;

struct Sum {
  double total = 0.0;
  double count = 0.0;
};

// Of each configuration the mean over the runs.
std::unordered_map<ConfigurationId, Sum, IdHash> add_up(const std::vector<std::vector<PriorObjective>>& runs) {
  std::unordered_map<ConfigurationId, Sum, IdHash> sums;
  for (const std::vector<PriorObjective>& run : runs) {
    Sum all;
    for (const PriorObjective& each : run) {
      if (each.objective > 0.0) all = {all.total + std::log(each.objective), all.count + 1.0};
    }
    for (const PriorObjective& each : run) {
      if (!(each.objective > 0.0)) continue;
      Sum& sum = sums[each.id];
      sum = {sum.total + std::log(each.objective) - all.total / all.count, sum.count + 1.0};
    }
  }
  return sums;
}

}  // namespace

Prior::Prior(const space::SearchSpace& space, const std::vector<std::vector<PriorObjective>>& runs, Random& random)
    : space_(space) {
  for (const auto& [id, sum] : add_up(runs)) {
    known_[id] = sum.total / sum.count;
    best_.push_back(id);
  }
  if (best_.empty()) return;
  std::ranges::sort(best_, {}, [&](ConfigurationId id) { return std::pair(known_.at(id), id); });
  std::vector<std::uint16_t> places;
  std::vector<double> responses;
  const std::size_t half = std::min(kPriorRows / 2, best_.size());
  const std::size_t step = std::max<std::size_t>(1, (best_.size() - half) / (kPriorRows / 2));
  space::ValueIndices indices;
  for (std::size_t i = 0; i < best_.size(); i += i < half ? 1 : step) {
    space_.unrank(best_[i], indices);
    places.insert(places.end(), indices.begin(), indices.end());
    responses.push_back(known_.at(best_[i]));
  }
  forest_.fit(places, space_.parameters().size(), responses, kPriorTrees, random);
  double sum = 0.0;
  double squares = 0.0;
  for (const ConfigurationId id : best_) {
    sum += known_.at(id);
    squares += known_.at(id) * known_.at(id);
  }
  const auto n = static_cast<double>(best_.size());
  variance_ = std::max(0.0, squares / n - sum / n * (sum / n));
}

double Prior::predict(ConfigurationId id) const {
  if (empty()) return 0.0;
  const auto found = known_.find(id);
  if (found != known_.end()) return found->second;
  space::ValueIndices indices;
  space_.unrank(id, indices);
  return forest_.predict(indices).mean;
}

double Prior::slope(std::span<const Pair> pairs) const {
  if (empty() || pairs.empty()) return 1.0;
  Pair mean;
  for (const Pair& pair : pairs) {
    mean.prior += pair.prior / static_cast<double>(pairs.size());
    mean.response += pair.response / static_cast<double>(pairs.size());
  }
  double both = kTrust * variance_;
  double own = kTrust * variance_;
  for (const Pair& pair : pairs) {
    both += (pair.prior - mean.prior) * (pair.response - mean.response);
    own += (pair.prior - mean.prior) * (pair.prior - mean.prior);
  }
  return own > 0.0 ? std::max(0.0, both / own) : 1.0;
}

}  // namespace wattune::search
