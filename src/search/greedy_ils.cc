// Greedy iterated local search (Schoonhoven, van Werkhoven, Batenburg: Benchmarking optimization algorithms for
// auto-tuning GPU kernels, IEEE Transactions on Evolutionary Computation, 2022; Kernel Tuner's greedy_ils).
//
// A descent moves to the first neighbour that is better, neighbours in random order, until none is. A random walk
// from the optimum then gives the start of the next descent. After too many descents without a better optimum, or
// one that met nothing unmeasured, the search begins anew at an unvisited configuration.
#include <cmath>

#include "search/local_search.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

class GreedyIls final : public LocalSearch {
 public:
  GreedyIls(const space::SearchSpace& space, const StrategyOptions& options)
      : LocalSearch(space, options),
        walk_steps_(std::max(
            1L, std::lround(options.parameters.at("random_walk") * static_cast<double>(space.parameters().size())))),
        patience_(options.parameters.at("no_improvement")) {}

 private:
  std::optional<ConfigurationId> do_next_candidate() override {
    if (current()) {
      if (const auto neighbour = draw_neighbour()) return neighbour;
      finish_descent();
    }
    measured_ = false;
    return optimum_ ? random_walk(optimum_->id) : starting_point();
  }

  void do_judge(ConfigurationId id, std::optional<double> objective, bool fresh) override {
    measured_ |= fresh;
    if (objective && (!current() || *objective < current()->objective)) {
      move_to({id, *objective});
    } else if (!current() && !fresh) {
      optimum_.reset();  // a walk to a known failure: another one might end there again, without end
    }
  }

  void finish_descent() {
    const bool improved = !record_ || current()->objective < *record_;
    descents_without_improvement_ = improved ? 0 : descents_without_improvement_ + 1;
    if (improved) record_ = current()->objective;
    optimum_ = current();
    leave();
    if (measured_ && descents_without_improvement_ < patience_) return;
    optimum_.reset();
    record_.reset();
  }

  ConfigurationId random_walk(ConfigurationId id) {
    for (long step = 0; step < walk_steps_; ++step) {
      const std::vector<ConfigurationId> neighbours = space().neighbours(id, space::Neighbourhood::hamming);
      if (neighbours.empty()) break;
      id = neighbours[random().below(neighbours.size())];
    }
    return id;
  }

  long walk_steps_;
  double patience_;
  std::optional<Point> optimum_;  // of the last descent; none when the next one starts elsewhere
  std::optional<double> record_;  // the best optimum since then
  double descents_without_improvement_ = 0;
  bool measured_ = false;  // this descent met something unmeasured
};

}  // namespace

std::unique_ptr<Strategy> make_greedy_ils(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<GreedyIls>(space, options);
}

}  // namespace wattune::search
