// CandidateSearch: the common part of searches in which a model chooses the next configuration among candidates, which
// are a sample of the space.
//
// More good configurations lie near the best ones, so most candidates differ from one of the best in one parameter.
// Some optima cannot be reached like that: they differ from all other good configurations in two parameters (a block
// that grows by as much as a tile shrinks). So the longer a search goes without a new best, the more candidates differ
// in two parameters, as in variable neighbourhood search (Mladenovic, Hansen: Variable neighborhood search, 1997).
//
// If a model predicts that such an optimum is poor, no candidate helps. draw_alike() asks no model: it uses what
// several of the best ones have in common.
#pragma once

#include <optional>
#include <vector>

#include "search/strategies/local_search.h"

namespace wattune::inline v0_1::search {

class CandidateSearch : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 protected:
  // Returns unvisited ids, possibly with repetitions. `elite` has the best configurations, the best one first; `idle`
  // is the number of outcomes since the best one was told. Precondition: the elite is not empty.
  std::vector<ConfigurationId> draw_candidates(const std::vector<ConfigurationId>& elite, std::size_t idle);
  // Draws unvisited configurations that differ from one of the elite in two parameters or fewer, and returns the one
  // that is most similar to the best of the elite. Returns nullopt if all drawn configurations are visited.
  // Precondition: the elite is not empty.
  std::optional<ConfigurationId> draw_alike(const std::vector<ConfigurationId>& elite);

 private:
  static constexpr std::size_t kCandidates = 200;
  static constexpr std::size_t kMostNeighbours = 150;  // most candidates that differ from the elite in one parameter
  static constexpr std::size_t kMostTwoAway = 150;     // most further candidates, which differ in two parameters
  static constexpr std::size_t kLongIdle = 100;        // outcomes without a new best that allow kMostTwoAway
  static constexpr int kExpandedNeighbours = 6;        // neighbours of the elite from which draw_alike() starts
  static constexpr std::size_t kComparedElite = 5;     // number of the best of the elite to which draw_alike() compares
};

}  // namespace wattune::search
