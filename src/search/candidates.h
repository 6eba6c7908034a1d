// CandidateSearch: what searches share that let a model choose the next configuration among some of the space.
//
// Where the best ones are, more good ones are near, so most candidates differ from one of them in one parameter. Some
// optima cannot be reached so: they differ from everything else that is good in two parameters (a block that grows by
// as much as a tile shrinks). So the longer a search goes without a new best, the more candidates differ in two, as in
// variable neighbourhood search (Mladenovic, Hansen: Variable neighborhood search, 1997).
//
// Where a model holds such an optimum for poor, no candidate helps. draw_alike() asks none: it goes by what several of
// the best ones have in common.
#pragma once

#include <optional>
#include <vector>

#include "search/local_search.h"

namespace wattune::search {

class CandidateSearch : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 protected:
  // Unvisited ids, some of which may be alike. `elite` are the best configurations, the best one first, `idle` the
  // outcomes since it was told. Precondition: the elite is not empty.
  std::vector<ConfigurationId> draw_candidates(const std::vector<ConfigurationId>& elite, std::size_t idle);
  // Of some unvisited ones that differ from one of the elite in two parameters or fewer the one that is most alike to
  // its best; none where all of these are visited. Precondition: as above.
  std::optional<ConfigurationId> draw_alike(const std::vector<ConfigurationId>& elite);

 private:
  static constexpr std::size_t kCandidates = 200;
  static constexpr std::size_t kNeighbours = 150;  // of them at most, in equal shares for each of the elite
  static constexpr std::size_t kTwoAway = 150;     // at most, besides,
  static constexpr std::size_t kLongIdle = 100;    // from so many idle outcomes on
  static constexpr int kWays = 6;                  // neighbours of the elite, whose neighbours draw_alike() looks at,
  static constexpr std::size_t kGood = 5;          // and of the elite the best, to which they are to be alike
};

}  // namespace wattune::search
