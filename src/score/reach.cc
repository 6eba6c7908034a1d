#include "score/interface/reach.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "core/median.h"
#include "score/parallel.h"
#include "score/run.h"
#include "score/seed.h"

namespace wattune::inline v0_1::score {

namespace {

Result<void> check(const std::vector<ScoredSpace>& spaces, const ReachOptions& options) {
  if (!(options.within >= 0.0)) return Error(ErrorCode::invalid_argument, "a distance from the optimum below 0");
  for (const ScoredSpace& space : spaces) {
    if (space.baseline.optimum() > 0.0) continue;
    return Error(ErrorCode::invalid_argument, "the optimum is not positive: no share of it can be taken")
        .with_context(space.name);
  }
  return {};
}

// All runs of all strategies on all spaces. lengths_[strategy * spaces + space] holds the number of evaluations of each
// repeat.
class Reacher {
 public:
  Reacher(const std::vector<ScoredSpace>& spaces, const std::vector<StrategyChoice>& strategies,
          const ReachOptions& options)
      : spaces_(spaces), strategies_(strategies), options_(options) {
    lengths_.assign(spaces.size() * strategies.size(), std::vector<double>(options.repeats, 0.0));
  }

  Result<std::vector<StrategyReach>> run() {
    for_each_parallel(lengths_.size() * options_.repeats, options_.threads, [this](std::size_t i) { run_one(i); });
    if (error_) return *std::move(error_);
    std::vector<StrategyReach> results;
    for (std::size_t s = 0; s < strategies_.size(); ++s) results.push_back(summarise(s));
    return results;
  }

 private:
  double target_of(const ScoredSpace& space) const { return (1.0 + options_.within) * space.baseline.optimum(); }

  // Runs one repeat. The seed depends only on space and repeat, so all strategies get the same random numbers.
  void run_one(std::size_t i) {
    const std::size_t cell = i / options_.repeats;
    const std::size_t repeat = i % options_.repeats;
    const ScoredSpace& space = spaces_[cell % spaces_.size()];
    const auto evaluations =
        evaluations_to_reach(target_of(space), space, strategies_[cell / spaces_.size()],
                             derived_seed(options_.seed, {2, cell % spaces_.size(), repeat}), options_.ahead);
    const std::lock_guard lock(mutex_);
    if (evaluations)
      lengths_[cell][repeat] = static_cast<double>(*evaluations);
    else if (!error_)
      error_ = Error(evaluations.error()).with_context(space.name);
    if (options_.progress) options_.progress(++done_, lengths_.size() * options_.repeats);
  }

  StrategyReach summarise(std::size_t strategy) const {
    StrategyReach result{.strategy = strategies_[strategy], .spaces = {}};
    double logarithms = 0.0;
    for (std::size_t p = 0; p < spaces_.size(); ++p) {
      const Baseline& baseline = spaces_[p].baseline;
      SpaceReach& space = result.spaces.emplace_back();
      const auto end = std::ranges::upper_bound(baseline.best_first(), target_of(spaces_[p]));
      space.near = static_cast<std::uint64_t>(end - baseline.best_first().begin());
      space.random = static_cast<double>(median_draws(space.near, baseline.valid() + baseline.failed()));
      space.median = median_of(lengths_[strategy * spaces_.size() + p]);
      logarithms += std::log(space.speedup());
    }
    result.speedup = std::exp(logarithms / static_cast<double>(spaces_.size()));
    return result;
  }

  const std::vector<ScoredSpace>& spaces_;
  const std::vector<StrategyChoice>& strategies_;
  const ReachOptions& options_;
  std::vector<std::vector<double>> lengths_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::optional<Error> error_;
};

}  // namespace

// Returns the number of draws. The probability that none of n draws is near is (all - near)! (all - n)! / (all! (all -
// near - n)!). Each further draw multiplies this probability by the share of not-near configurations among those that
// are left.
std::uint64_t median_draws(std::uint64_t near, std::uint64_t all) {
  double none = 1.0;
  std::uint64_t draws = 0;
  while (none > 0.5) {
    none *= static_cast<double>(all - near - draws) / static_cast<double>(all - draws);
    ++draws;
  }
  return draws;
}

Result<std::vector<StrategyReach>> reach(const std::vector<ScoredSpace>& spaces,
                                         const std::vector<StrategyChoice>& strategies, const ReachOptions& options) {
  WATTUNE_TRY(check_choice(spaces, strategies, options.repeats));
  WATTUNE_TRY(check(spaces, options));
  return Reacher(spaces, strategies, options).run();
}

}  // namespace wattune::score
