#include "wattune/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "tune/contenders.h"

namespace wattune::tune {

namespace {

class Loop {
 public:
  Loop(const space::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator, TrialSink& sink,
       TuningObserver& observer, const TuningOptions& options)
      : space_(space),
        strategy_(strategy),
        evaluator_(evaluator),
        sink_(sink),
        observer_(observer),
        options_(options),
        default_id_(space.default_configuration()),
        started_(evaluator.now()) {
    progress_.space_size = space.count();
  }

  Result<TuningResult> run(const std::vector<Trial>& resumed) {
    for (const Trial& trial : resumed) replay(trial);
    if (result_.best) evaluator_.know_best(result_.best->observation);
    observer_.on_start(progress_, resumed.size());
    while (!stop()) {
      refill();
      if (proposals_.empty()) {
        result_.stop_reason = progress_.evaluations >= space_.count() ? "every configuration was evaluated"
                                                                      : "the strategy has nothing left to propose";
        break;
      }
      const Configuration next = std::move(proposals_.front());
      proposals_.erase(proposals_.begin());
      WATTUNE_TRY(evaluate(next));
    }
    WATTUNE_TRY(hold_final());
    result_.elapsed = elapsed();
    result_.pipeline = evaluator_.pipeline();
    return std::move(result_);
  }

 private:
  // Asks ahead, no further than the rules let the run come, and says what will be evaluated.
  void refill() {
    std::uint64_t wanted = std::max<std::uint64_t>(1, options_.ahead);
    if (const auto left = options_.stop.evaluations_left(progress_)) wanted = std::min(wanted, *left);
    if (wanted > proposals_.size())
      for (const ConfigurationId id : strategy_.ask(wanted - proposals_.size()))
        proposals_.push_back(space_.configuration(id));
    evaluator_.expect(proposals_);
  }

  Nanoseconds elapsed() const { return evaluator_.now() - started_; }

  void replay(const Trial& trial) {
    if (!known_.insert(trial.configuration.id()).second) return;
    ++result_.resumed;
    account(trial, true);
    strategy_.tell(trial.configuration.id(), trial.observation);
  }

  Result<void> evaluate(const Configuration& configuration) {
    const ConfigurationId id = configuration.id();
    if (!known_.insert(id).second)
      return Error(ErrorCode::internal,
                   fmt::format("the strategy proposed configuration {} twice", wattune::to_string(id)));
    Trial trial;
    trial.configuration = configuration;
    WATTUNE_ASSIGN(trial.observation, evaluator_.evaluate(trial.configuration));
    trial.finished_at = std::chrono::system_clock::now();
    WATTUNE_TRY(sink_.add(trial));
    ++result_.evaluated;
    const bool improved = account(trial, false);
    strategy_.tell(id, trial.observation);
    progress_.elapsed = elapsed();
    observer_.on_trial({trial, progress_, result_.best ? &*result_.best : nullptr, improved, evaluator_.pipeline()});
    return {};
  }

  // Counts the Trial; returns whether it is the new best.
  bool account(const Trial& trial, bool resumed) {
    ++progress_.evaluations;
    ++progress_.since_improvement;
    ++result_.by_status[trial.observation.status];
    if (trial.configuration.id() == default_id_) result_.baseline = trial;
    if (!trial.observation.ok()) return false;
    count_samples(trial.observation);
    contenders_.add(trial, resumed);
    const double objective = trial.observation.objective();
    if (progress_.best_objective && objective >= *progress_.best_objective) return false;
    progress_.best_objective = objective;
    progress_.since_improvement = 0;
    result_.best = trial;
    return true;
  }

  void count_samples(const Observation& observation) {
    result_.samples += observation.samples.size();
    result_.throttled_samples +=
        static_cast<std::uint64_t>(std::ranges::count(observation.samples, true, &Sample::throttled));
  }

  // Until one of the finalists proves correct, or none is left.
  Result<void> hold_final() {
    if (cancelled() || options_.shoot_out.finalists == 0 || !result_.best) return {};
    for (;;) {
      const std::vector<Contenders::Contender> finalists =
          contenders_.finalists(options_.shoot_out.finalists, evaluator_);
      result_.best.reset();
      if (finalists.empty()) return {};
      std::vector<Configuration> contestants;
      for (const Contenders::Contender& each : finalists) contestants.push_back(each.trial.configuration);
      if (default_runs_along(contestants)) contestants.push_back(result_.baseline->configuration);
      result_.best = finalists.front().trial;
      if (contestants.size() == 1 && !finalists.front().resumed) return {};
      observer_.on_final(contestants.size());
      WATTUNE_ASSIGN(Comparison comparison, evaluator_.compare(contestants, finalists.size(), options_.shoot_out));
      if (comparison.observations.empty()) return {};
      result_.best.reset();
      WATTUNE_TRY(record(contestants, finalists.size(), comparison));
      if (result_.best) return {};
    }
  }

  // Unless it is a finalist itself, or so slow that its runs would take longer than the whole final may.
  bool default_runs_along(const std::vector<Configuration>& finalists) const {
    if (!result_.baseline || !result_.baseline->observation.ok()) return false;
    const auto is_default = [this](const Configuration& each) { return each.id() == default_id_; };
    if (std::ranges::any_of(finalists, is_default)) return false;
    const Nanoseconds time = result_.baseline->observation.statistics->median;
    return 2.0 * static_cast<double>(options_.shoot_out.block) * time <= options_.shoot_out.max_time;
  }

  Result<void> record(const std::vector<Configuration>& contestants, std::size_t finalists, Comparison& comparison) {
    std::vector<Trial> trials;
    const auto now = std::chrono::system_clock::now();
    for (std::size_t i = 0; i < contestants.size(); ++i)
      trials.push_back({contestants[i], std::move(comparison.observations[i]), now});
    place(trials, finalists, comparison.rounds);
    for (const Trial& trial : trials) {
      if (trial.observation.ok()) count_samples(trial.observation);
      WATTUNE_TRY(sink_.add(trial));
      replace(trial);
    }
    return {};
  }

  // Decides between those of the finalists, which come first, that are correct.
  void place(std::vector<Trial>& contestants, std::size_t finalists, const measure::Rounds& rounds) {
    std::vector<Trial*> correct;
    measure::Rounds turns;
    const std::vector<measure::Turn>* of_default = nullptr;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (!contestants[i].observation.ok()) continue;
      if (contestants[i].configuration.id() == default_id_) of_default = &rounds[i];
      if (i >= finalists) continue;
      correct.push_back(&contestants[i]);
      turns.push_back(rounds[i]);
    }
    if (correct.empty()) return;
    const measure::Verdict verdict = measure::judge(turns, options_.shoot_out.max_blocks);
    for (Trial* trial : correct) trial->observation.final_place = FinalPlace::behind;
    for (const std::size_t i : verdict.ties) {
      correct[i]->observation.final_place = FinalPlace::tied;
      result_.ties.push_back(*correct[i]);
    }
    correct[verdict.winner]->observation.final_place = FinalPlace::winner;
    result_.best = *correct[verdict.winner];
    if (of_default != nullptr) result_.paired_gain = measure::paired_gain(turns[verdict.winner], *of_default);
  }

  // Of a configuration that was correct before.
  void replace(const Trial& trial) {
    if (trial.configuration.id() == default_id_) result_.baseline = trial;
    if (trial.observation.ok()) return;
    --result_.by_status[Status::correct];
    ++result_.by_status[trial.observation.status];
    contenders_.remove(trial.configuration.id());
  }

  bool cancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

  bool stop() {
    if (cancelled()) {
      result_.stop_reason = "cancelled";
      return true;
    }
    progress_.elapsed = elapsed();
    std::optional<std::string> reason = options_.stop.reason_to_stop(progress_);
    if (!reason) return false;
    result_.stop_reason = *std::move(reason);
    return true;
  }

  const space::SearchSpace& space_;
  search::Strategy& strategy_;
  Evaluator& evaluator_;
  TrialSink& sink_;
  TuningObserver& observer_;
  const TuningOptions& options_;
  const ConfigurationId default_id_;
  const Nanoseconds started_;
  std::unordered_set<ConfigurationId, search::IdHash> known_;
  std::vector<Configuration> proposals_;  // to be evaluated, the next first
  search::Progress progress_;
  Contenders contenders_;
  TuningResult result_;
};

}  // namespace

Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator,
                          TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                          const TuningOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  return Loop(space, strategy, evaluator, sink, observer, options).run(resumed);
}

}  // namespace wattune::tune
