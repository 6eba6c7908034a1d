#include "search/models/candidates.h"

#include <algorithm>
#include <span>

namespace wattune::inline v0_1::search {

namespace {

// The likeness of a configuration to some good ones. It is the sum of one product for each good one, with a factor
// kLikenessPerDifference for each parameter that differs.
class Likeness {
 public:
  Likeness(const space::SearchSpace& space, std::span<const ConfigurationId> good) : space_(space) {
    for (const ConfigurationId id : good) space_.unrank(id, good_.emplace_back());
  }

  double of(ConfigurationId id) {
    space_.unrank(id, indices_);
    double sum = 0.0;
    for (const space::ValueIndices& good : good_) {
      double likeness = 1.0;
      for (std::size_t p = 0; p < good.size(); ++p)
        if (indices_[p] != good[p]) likeness *= kLikenessPerDifference;
      sum += likeness;
    }
    return sum;
  }

 private:
  static constexpr double kLikenessPerDifference = 0.3;

  const space::SearchSpace& space_;
  std::vector<space::ValueIndices> good_;
  space::ValueIndices indices_;
};

}  // namespace

std::vector<ConfigurationId> CandidateSearch::draw_candidates(const std::vector<ConfigurationId>& elite,
                                                              std::size_t idle) {
  std::vector<ConfigurationId> ids;
  const auto add = [&](ConfigurationId id) {
    if (!visited(id)) ids.push_back(id);
  };
  for (std::size_t i = 0; i < elite.size(); ++i) {
    for (const ConfigurationId id : neighbours(elite[i]))
      if (ids.size() < kMostNeighbours * (i + 1) / elite.size()) add(id);
  }
  for (std::size_t n = ids.size(); n < kCandidates; ++n) add(space().sample(random()));
  const std::size_t far = kMostTwoAway * std::min(idle, kLongIdle) / kLongIdle;
  for (std::size_t n = 0; n < far; ++n) add(random_walk(elite[random().below(elite.size())], 2));
  return ids;
}

std::optional<ConfigurationId> CandidateSearch::draw_alike(const std::vector<ConfigurationId>& elite) {
  Likeness likeness(space(), std::span(elite).first(std::min(kComparedElite, elite.size())));
  std::optional<ConfigurationId> chosen;
  double highest = 0.0;
  for (int way = 0; way < kExpandedNeighbours; ++way) {
    for (const ConfigurationId id : neighbours(random_walk(elite[random().below(elite.size())], 1))) {
      const double value = visited(id) ? 0.0 : likeness.of(id);
      if (value > highest) chosen = id;
      highest = std::max(highest, value);
    }
  }
  return chosen;
}

}  // namespace wattune::search
