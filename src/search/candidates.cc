#include "search/candidates.h"

#include <algorithm>

namespace wattune::search {

std::vector<ConfigurationId> CandidateSearch::draw_candidates(const std::vector<ConfigurationId>& elite,
                                                              std::size_t idle) {
  std::vector<ConfigurationId> ids;
  const auto add = [&](ConfigurationId id) {
    if (!visited(id)) ids.push_back(id);
  };
  for (std::size_t i = 0; i < elite.size(); ++i) {
    for (const ConfigurationId id : neighbours(elite[i]))
      if (ids.size() < kNeighbours * (i + 1) / elite.size()) add(id);
  }
  for (std::size_t n = ids.size(); n < kCandidates; ++n) add(space().sample(random()));
  const std::size_t far = kTwoAway * std::min(idle, kLongIdle) / kLongIdle;
  for (std::size_t n = 0; n < far; ++n) add(two_away(elite));
  return ids;
}

std::optional<ConfigurationId> CandidateSearch::draw_two_away(const std::vector<ConfigurationId>& elite) {
  for (int i = 0; i < kTries; ++i) {
    const ConfigurationId id = two_away(elite);
    if (!visited(id)) return id;
  }
  return std::nullopt;
}

ConfigurationId CandidateSearch::two_away(const std::vector<ConfigurationId>& elite) {
  return random_walk(elite[random().below(elite.size())], 2);
}

}  // namespace wattune::search
