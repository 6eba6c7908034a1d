// LocalSearch: what strategies share that walk from neighbour to neighbour and need each outcome before the next step.
//
// It turns the walk into ask/tell: a subclass names candidates and judges them; a candidate whose outcome is known
// already is judged at once, without a measurement, any other is proposed and judged when its outcome is told. While
// one is outstanding nothing is proposed.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "wattune/search/strategy.h"

namespace wattune::search {

// What the parameter `neighbourhood` of these strategies chooses by its number.
inline constexpr std::array kNeighbourhoods = {space::Neighbourhood::hamming, space::Neighbourhood::adjacent,
                                               space::Neighbourhood::strictly_adjacent};

// Of the adjacent kinds, which reach 3^n configurations of n parameters, only the nearest ones up to this number count.
inline constexpr std::size_t kMaxNeighbours = 10'000;

class LocalSearch : public Strategy {
 protected:
  // A configuration that works, with its objective.
  struct Point {
    ConfigurationId id = 0;
    double objective = 0.0;
  };

  // Reads the parameter `neighbourhood`.
  LocalSearch(const space::SearchSpace& space, const StrategyOptions& options);

  // The next candidate, visited or not; nothing ends the search.
  virtual std::optional<ConfigurationId> do_next_candidate() = 0;
  // `fresh`: it was measured for this call, not known before.
  virtual void do_judge(ConfigurationId id, std::optional<double> objective, bool fresh) = 0;

  // Where the walk stands; none at the beginning and after leave().
  const std::optional<Point>& current() const { return current_; }
  void move_to(const Point& point);
  void leave() { current_.reset(); }

  // A neighbour of current(), each once until the next move_to(), in random order; none when all were drawn.
  std::optional<ConfigurationId> draw_neighbour();
  // Where to begin a walk: at first the best known or the start configuration, later an unvisited one.
  std::optional<ConfigurationId> starting_point();

  // The best configuration seen, resumed ones included.
  const std::optional<Point>& best() const { return best_; }

 private:
  std::optional<ConfigurationId> do_propose() final;
  void do_learn(ConfigurationId id, std::optional<double> objective) final;

  space::Neighbourhood neighbourhood_;
  std::unordered_map<ConfigurationId, std::optional<double>, IdHash> outcomes_;
  std::optional<ConfigurationId> awaited_;
  std::optional<Point> current_;
  std::optional<Point> best_;
  std::vector<ConfigurationId> neighbours_;  // of current_, not drawn yet
  bool neighbours_known_ = false;
  bool begun_ = false;
};

}  // namespace wattune::search
