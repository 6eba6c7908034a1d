#include "score/interface/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "score/parallel.h"
#include "score/run.h"
#include "score/seed.h"

namespace wattune::inline v0_1::score {

namespace {

constexpr double kTail = 0.025;  // probability outside the interval, on each side

// The runs of a strategy on a space, and their results.
struct Cell {
  std::vector<SearchRun> runs;
  SpaceScore result;
  double plain = 0.0;             // score of a single regression over all runs
  std::vector<double> resampled;  // scores of regressions over runs drawn with replacement
};

// Returns the score with its interval, whose ends are quantiles of the resampled scores. The ends are shifted by the
// difference between the score and the plain score.
Score with_interval(double value, double plain, std::vector<double> resampled) {
  if (resampled.empty()) return {value, value, value};
  std::ranges::sort(resampled);
  const auto tail = static_cast<std::size_t>(kTail * static_cast<double>(resampled.size()));
  return {value, value + resampled[tail] - plain, value + resampled[resampled.size() - 1 - tail] - plain};
}

// Draws with replacement how often each run counts. Repeats this until at least one run that can count is drawn.
std::vector<double> draw_weights(std::size_t runs, const Performance& performance, Random& random) {
  for (;;) {
    std::vector<double> weights(runs, 0.0);
    bool any = false;
    for (std::size_t i = 0; i < runs; ++i) {
      const std::uint64_t drawn = random.below(runs);
      weights[drawn] += 1.0;
      any = any || performance.counts(drawn);
    }
    if (any) return weights;
  }
}

template <typename Get>
double mean_over(const std::vector<SearchRun>& runs, Get get) {
  double sum = 0.0;
  for (const SearchRun& run : runs) sum += get(run);
  return sum / static_cast<double>(runs.size());
}

void summarise(const ScoredSpace& space, Cell& cell, std::uint64_t seed, std::size_t resamples) {
  const double optimum = space.baseline.optimum();
  SpaceScore& result = cell.result;
  result.share_of_optimum = mean_over(cell.runs, [&](const SearchRun& run) {
    return run.points.empty() ? 0.0 : gain(run.points.back().best, optimum).value_or(0.0);
  });
  result.optimum_found = mean_over(cell.runs, [&](const SearchRun& run) {
    return !run.points.empty() && run.points.back().best == optimum ? 1.0 : 0.0;
  });
  result.evaluations = mean_over(cell.runs, [](const SearchRun& run) { return static_cast<double>(run.evaluations); });
  result.not_recorded =
      mean_over(cell.runs, [](const SearchRun& run) { return static_cast<double>(run.not_recorded); });
  result.search_seconds = mean_over(cell.runs, [](const SearchRun& run) { return run.search_seconds; });

  result.remark = cell.runs.front().remark;

  const Performance performance(space.baseline, cell.runs);
  result.curve = performance.curve(derived_seed(seed, {0}));
  cell.plain = mean_of(performance.weighted_curve(std::vector<double>(cell.runs.size(), 1.0)));
  Random random(derived_seed(seed, {1}));
  for (std::size_t i = 0; i < resamples; ++i)
    cell.resampled.push_back(mean_of(performance.weighted_curve(draw_weights(cell.runs.size(), performance, random))));
  result.score = with_interval(mean_of(result.curve), cell.plain, cell.resampled);
}

// Returns the means over the spaces, of the curves and of the scores.
StrategyScore aggregate(const StrategyChoice& strategy, std::span<Cell> cells) {
  StrategyScore total{.strategy = strategy, .curve = std::vector<double>(kCurvePoints, 0.0)};
  const auto spaces = static_cast<double>(cells.size());
  std::vector<double> resampled(cells.front().resampled.size(), 0.0);
  double plain = 0.0;
  for (Cell& cell : cells) {
    for (std::size_t k = 0; k < kCurvePoints; ++k) total.curve[k] += cell.result.curve[k] / spaces;
    for (std::size_t i = 0; i < resampled.size(); ++i) resampled[i] += cell.resampled[i] / spaces;
    plain += cell.plain / spaces;
    total.spaces.push_back(std::move(cell.result));
  }
  const double mean = mean_of(total.curve);
  total.score = with_interval(mean, plain, std::move(resampled));
  double squares = 0.0;
  for (const double value : total.curve) squares += (value - mean) * (value - mean);
  total.deviation = std::sqrt(squares / static_cast<double>(kCurvePoints));
  return total;
}

Result<void> check_runs(const ScoredSpace& space, const std::string& name, const std::vector<SearchRun>& runs) {
  if (runs.empty())
    return Error(ErrorCode::invalid_argument, "no run on this space").about(name).with_context(space.name);
  if (std::ranges::all_of(runs, [](const SearchRun& run) { return run.points.empty(); }))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("no run of {} found a correct configuration within the budget of {:.3g} s", name,
                             space.baseline.budget()))
        .with_context(space.name);
  return {};
}

// All runs of all strategies on all spaces, as cells[strategy * spaces + space].
class Scorer {
 public:
  Scorer(const std::vector<ScoredSpace>& spaces, const std::vector<StrategyChoice>& strategies,
         const ScoreOptions& options)
      : spaces_(spaces), strategies_(strategies), options_(options), cells_(spaces.size() * strategies.size()) {
    for (Cell& cell : cells_) cell.runs.resize(options.repeats);
  }

  Result<std::vector<StrategyScore>> run() {
    for_each_parallel(cells_.size() * options_.repeats, options_.threads, [this](std::size_t i) { run_one(i); });
    if (error_) return *std::move(error_);
    for (std::size_t c = 0; c < cells_.size(); ++c)
      WATTUNE_TRY(check_runs(space_of(c), strategy_of(c).name, cells_[c].runs));
    for_each_parallel(cells_.size(), options_.threads, [this](std::size_t c) {
      summarise(space_of(c), cells_[c], derived_seed(options_.seed, {1, c % spaces_.size()}), options_.resamples);
    });
    std::vector<StrategyScore> scores;
    for (std::size_t s = 0; s < strategies_.size(); ++s)
      scores.push_back(aggregate(strategies_[s], std::span(cells_).subspan(s * spaces_.size(), spaces_.size())));
    return scores;
  }

 private:
  const ScoredSpace& space_of(std::size_t cell) const { return spaces_[cell % spaces_.size()]; }
  const StrategyChoice& strategy_of(std::size_t cell) const { return strategies_[cell / spaces_.size()]; }

  // Runs one repeat. Seeds depend only on space and repeat, so all strategies get the same random numbers.
  void run_one(std::size_t i) {
    const std::size_t cell = i / options_.repeats;
    const std::size_t repeat = i % options_.repeats;
    Result<SearchRun> run =
        run_strategy(space_of(cell), strategy_of(cell), derived_seed(options_.seed, {0, cell % spaces_.size(), repeat}),
                     options_.ahead);
    const std::lock_guard lock(mutex_);
    if (run)
      cells_[cell].runs[repeat] = *std::move(run);
    else if (!error_)
      error_ = std::move(run).error().with_context(space_of(cell).name);
    if (options_.progress) options_.progress(++done_, cells_.size() * options_.repeats);
  }

  const std::vector<ScoredSpace>& spaces_;
  const std::vector<StrategyChoice>& strategies_;
  const ScoreOptions& options_;
  std::vector<Cell> cells_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<ScoredSpace> ScoredSpace::of(std::string name, const space::SearchSpace& space, const tune::Recording& recording,
                                    tune::ReplayClock clock) {
  Result<Baseline> baseline = Baseline::of(recording.trials(), clock);
  if (!baseline) return std::move(baseline).error().with_context(std::move(name));
  return ScoredSpace{std::move(name), space, recording, *std::move(baseline), clock};
}

Result<std::vector<StrategyScore>> score(const std::vector<ScoredSpace>& spaces,
                                         const std::vector<StrategyChoice>& strategies, const ScoreOptions& options) {
  WATTUNE_TRY(check_choice(spaces, strategies, options.repeats));
  return Scorer(spaces, strategies, options).run();
}

Result<StrategyScore> score_runs(const std::vector<ScoredSpace>& spaces, const std::string& name,
                                 std::vector<std::vector<SearchRun>> runs, const ScoreOptions& options) {
  if (spaces.empty()) return Error(ErrorCode::invalid_argument, "no space to score on");
  std::vector<Cell> cells(spaces.size());
  for (std::size_t p = 0; p < spaces.size(); ++p) {
    WATTUNE_TRY(check_runs(spaces[p], name, runs[p]));
    cells[p].runs = std::move(runs[p]);
  }
  for_each_parallel(cells.size(), options.threads, [&](std::size_t p) {
    summarise(spaces[p], cells[p], derived_seed(options.seed, {1, p}), options.resamples);
  });
  StrategyScore result = aggregate({name, {}}, cells);
  result.recorded_runs = std::ranges::min(cells, {}, [](const Cell& cell) { return cell.runs.size(); }).runs.size();
  return result;
}

}  // namespace wattune::score
