#include "score/run.h"

#include <algorithm>
#include <cmath>

#include "wattune/search/strategy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::score {

namespace {

constexpr int kAttempts = 20;
constexpr double kMinShareOfBudget = 0.1;
constexpr double kAlwaysEnoughEvaluations = 10.0;  // so many evaluations are always enough
constexpr std::size_t kMinValid = 2;

class NoSink : public TrialSink {
  Result<void> add(const Trial&) override { return {}; }
};

class NoObserver : public tune::TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const tune::TuningEvent&) override {}
};

// An observer that records when each evaluation ended, and the best value so far. It also counts the evaluations in the
// measured part.
class Recorder : public tune::TuningObserver {
 public:
  explicit Recorder(const ScoredSpace& space) : scored_(space), baseline_(space.baseline) {}

  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const tune::TuningEvent& event) override {
    const double seconds = to_seconds(event.progress.elapsed);
    ++run_.evaluations;
    const bool recorded = event.trial.observation.status != Status::not_recorded;
    if (!recorded) ++run_.not_recorded;
    charged_ += recorded ? cost_of(event.trial.observation) : scored_.recording.typical_cost();
    if (scored_.clock == tune::ReplayClock::recorded_and_search) run_.search_seconds = seconds - to_seconds(charged_);
    if (event.best != nullptr) run_.points.push_back({seconds, event.best->observation.objective()});
    if (seconds < baseline_.start() || seconds > baseline_.budget()) return;
    ++in_measured_part_;
    if (event.trial.observation.ok()) ++valid_;
  }

  bool enough() const {
    const double in_budget = std::max(std::nearbyint(baseline_.budget() / baseline_.mean_cost()), 2.0);
    const double share = std::nearbyint(
        kMinShareOfBudget * std::min(in_budget, static_cast<double>(baseline_.valid() + baseline_.failed())));
    return static_cast<double>(in_measured_part_) >= std::max(std::min(share, kAlwaysEnoughEvaluations), 2.0) &&
           valid_ >= kMinValid;
  }
  SearchRun take() { return std::move(run_); }

 private:
  const ScoredSpace& scored_;
  const Baseline& baseline_;
  SearchRun run_;
  Nanoseconds charged_;  // time that the recording has charged so far
  std::size_t in_measured_part_ = 0;
  std::size_t valid_ = 0;
};

Result<std::unique_ptr<search::Strategy>> strategy_for(const ScoredSpace& space, const StrategyChoice& choice,
                                                       std::uint64_t seed) {
  return search::make_strategy(choice.name, space.space,
                               {.seed = seed, .prior = space.prior, .parameters = choice.parameters});
}

}  // namespace

Result<SearchRun> run_strategy(const ScoredSpace& space, const StrategyChoice& choice, std::uint64_t seed,
                               std::size_t ahead) {
  const tune::TuningOptions options{.stop = {.time = nanoseconds_from_seconds(space.baseline.budget())},
                                    .ahead = ahead};
  Random seeds(seed);
  for (int attempt = 1;; ++attempt) {
    WATTUNE_ASSIGN(const auto strategy, strategy_for(space, choice, seeds.bits()));
    const auto evaluator = tune::make_replay_evaluator(space.recording, space.clock);
    NoSink sink;
    Recorder recorder(space);
    WATTUNE_TRY(tune::tune(space.space, *strategy, *evaluator, sink, recorder, {}, options));
    if (!recorder.enough() && attempt < kAttempts) continue;
    SearchRun run = recorder.take();
    run.remark = strategy->remark();
    return run;
  }
}

Result<std::uint64_t> evaluations_to_reach(double target, const ScoredSpace& space, const StrategyChoice& choice,
                                           std::uint64_t seed, std::size_t ahead) {
  WATTUNE_ASSIGN(const auto strategy, strategy_for(space, choice, seed));
  const auto evaluator = tune::make_replay_evaluator(space.recording, space.clock);
  NoSink sink;
  NoObserver observer;
  const tune::TuningOptions options{.stop = {.target = target}, .ahead = ahead};
  WATTUNE_ASSIGN(const tune::TuningResult result,
                 tune::tune(space.space, *strategy, *evaluator, sink, observer, {}, options));
  return result.evaluated + result.skipped;
}

Result<void> check_choice(const std::vector<ScoredSpace>& spaces, const std::vector<StrategyChoice>& strategies,
                          std::size_t repeats) {
  if (spaces.empty()) return Error(ErrorCode::invalid_argument, "no space to score on");
  if (strategies.empty()) return Error(ErrorCode::invalid_argument, "no strategy to score");
  if (repeats == 0) return Error(ErrorCode::invalid_argument, "at least one repeat is needed");
  for (const StrategyChoice& choice : strategies) WATTUNE_TRY(strategy_for(spaces.front(), choice, 1));
  return {};
}

}  // namespace wattune::score
