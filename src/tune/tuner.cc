#include "wattune/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "tune/contenders.h"
#include "tune/crew.h"
#include "tune/final.h"

namespace wattune::tune {

namespace {

constexpr const char* kCancelled = "cancelled";

class Loop {
 public:
  Loop(const space::SearchSpace& space, search::Strategy& strategy, std::span<Evaluator* const> evaluators,
       TrialSink& sink, TuningObserver& observer, const TuningOptions& options)
      : space_(space),
        strategy_(strategy),
        evaluators_(evaluators),
        sink_(sink),
        observer_(observer),
        options_(options),
        default_id_(space.default_configuration()),
        started_(evaluators.front()->now()),
        crew_(evaluators) {
    progress_.space_size = space.count();
    for (const Evaluator* const each : evaluators_) {
      result_.devices.push_back({.device = each->device(), .lost = {}});
      note(result_.devices.size() - 1, each->pipeline());
    }
  }

  Result<TuningResult> run(const std::vector<Trial>& resumed) {
    const std::vector<const Trial*> known = counting(resumed);
    for (const Trial* trial : known) replay(*trial);
    for (Evaluator* const each : evaluators_) know_best(*each, known);
    observer_.on_start(progress_, known.size());
    WATTUNE_TRY(search());
    WATTUNE_TRY(hold_final());
    result_.elapsed = elapsed();
    return std::move(result_);
  }

 private:
  bool several() const { return evaluators_.size() > 1; }

  // What is in flight ends before an Error does, so that it is recorded too; but not after one of the sink.
  Result<void> search() {
    for (employ(); !crew_.in_flight().empty(); employ()) WATTUNE_TRY(finish(crew_.wait()));
    if (error_) return *std::move(error_);
    return {};
  }

  // Gives everybody who is idle something to do, as far as the rules and the strategy go.
  void employ() {
    while (const auto member = crew_.idle()) {
      if (error_ || stop()) return;
      refill(crew_.evaluator(*member));
      if (proposals_.empty()) {
        result_.stop_reason = progress_.evaluations >= space_.count() ? "every configuration was evaluated"
                                                                      : "the strategy has nothing left to propose";
        return;
      }
      const Configuration next = std::move(proposals_.front());
      proposals_.erase(proposals_.begin());
      if (!known_.insert(next.id()).second) {
        error_ = Error(ErrorCode::internal,
                       fmt::format("the strategy proposed configuration {} twice", wattune::to_string(next.id())));
        return;
      }
      crew_.start(*member, next);
    }
  }

  // Asks ahead, no further than the rules let the run come, and says what is and will be evaluated.
  void refill(Evaluator& next) {
    std::vector<Configuration> expected = crew_.in_flight();
    std::uint64_t wanted = std::max<std::uint64_t>(1, options_.ahead);
    if (const auto left = options_.stop.evaluations_left(progress_)) wanted = std::min(wanted, *left - expected.size());
    if (wanted > proposals_.size())
      for (const ConfigurationId id : strategy_.ask(wanted - proposals_.size()))
        proposals_.push_back(space_.configuration(id));
    expected.insert(expected.end(), proposals_.begin(), proposals_.end());
    next.expect(expected);
  }

  Nanoseconds elapsed() const { return evaluators_.front()->now() - started_; }

  void replay(const Trial& trial) {
    known_.insert(trial.configuration.id());
    ++result_.resumed;
    account(trial, true);
    strategy_.tell(trial.configuration.id(), trial.observation);
  }

  // The best that an earlier run measured on the same device, if there are several.
  void know_best(Evaluator& evaluator, const std::vector<const Trial*>& resumed) const {
    const Trial* best = nullptr;
    for (const Trial* trial : resumed) {
      if (!trial->observation.ok() || (several() && trial->device != evaluator.device())) continue;
      const auto objective_of = [](const Trial& each) { return each.observation.search_figures().objective; };
      if (best == nullptr || objective_of(*trial) < objective_of(*best)) best = trial;
    }
    if (best != nullptr) evaluator.know_best(best->observation);
  }

  Result<void> finish(Crew::Finished finished) {
    const DeviceShare& device = result_.devices[finished.member];
    if (!finished.observation) lose(finished.member, finished.observation.error());
    if (!finished.observation && device.lost.empty()) return {};
    Trial trial{.configuration = std::move(finished.configuration),
                .observation = finished.observation ? *std::move(finished.observation) : lost_with(device),
                .finished_at = std::chrono::system_clock::now()};
    if (several()) trial.device = device.device;
    WATTUNE_TRY(sink_.add(trial));
    ++result_.evaluated;
    ++result_.devices[finished.member].evaluated;
    note(finished.member, finished.pipeline);
    const bool improved = account(trial, false);
    strategy_.tell(trial.configuration.id(), trial.observation);
    progress_.elapsed = elapsed();
    observer_.on_trial({trial, progress_, result_.best ? &*result_.best : nullptr, improved, result_.pipeline});
    return {};
  }

  // Whether the run goes on without this device; otherwise the Error ends it.
  bool lose(std::size_t member, const Error& error) {
    const bool lost = error.code() == ErrorCode::device_lost;
    if (lost) result_.devices[member].lost = error.to_string();
    if (!lost || crew_.size() == 1) {
      if (!error_) error_ = error;
      return false;
    }
    crew_.dismiss(member);
    observer_.on_device_lost(result_.devices[member].device, error);
    return true;
  }

  // Another device might be lost with it too, or the same one when the run is resumed, so it is not tried again.
  static Observation lost_with(const DeviceShare& device) {
    Observation observation;
    observation.status = Status::runtime;
    observation.message = fmt::format("{} was lost: {}", device.device, device.lost);
    return observation;
  }

  void note(std::size_t member, const std::optional<Pipeline>& pipeline) {
    if (!pipeline) return;
    if (!result_.pipeline) result_.pipeline.emplace().devices_busy.resize(evaluators_.size());
    result_.pipeline->devices_busy[member] = pipeline->devices_busy.front();
    result_.pipeline->compiling = pipeline->compiling;
  }

  // Counts the Trial; returns whether it is the new best.
  bool account(const Trial& trial, bool resumed) {
    ++progress_.evaluations;
    ++progress_.since_improvement;
    ++result_.by_status[trial.observation.status];
    if (is_default(trial)) result_.baseline = trial;
    if (!trial.observation.ok()) return false;
    count_samples(trial.observation);
    contenders_.add(trial, resumed);
    // What an earlier final measured does not compare with what this run will.
    const double objective = trial.observation.search_figures().objective;
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
    const std::size_t most = most_finalists();
    for (;;) {
      const std::vector<Contenders::Contender> finalists = contenders_.finalists(most, *evaluators_.front());
      result_.best.reset();
      if (finalists.empty()) return {};
      result_.best = finalists.front().trial;
      const std::vector<Trial> contestants = contestants_of(finalists);
      if (contestants.size() == 1 && !finalists.front().resumed) return {};
      if (!crew_.evaluator(*crew_.idle()).holds_contests()) return {};
      if (contestants.size() > 1) observer_.on_final(contestants.size());
      WATTUNE_ASSIGN(Final final, compare(contestants));
      if (final.trials.empty()) {
        if (cancelled()) result_.stop_reason = kCancelled;
        return {};
      }
      result_.best.reset();
      WATTUNE_TRY(record(final, finalists.size()));
      if (result_.best) return {};
    }
  }

  // So many that their first block fits into the final's time, or two.
  std::size_t most_finalists() const {
    std::size_t most = options_.shoot_out.finalists;
    const Nanoseconds block_time = block_of(*result_.best);
    while (most > 2 && static_cast<double>(most) * block_time > options_.shoot_out.max_time) --most;
    return most;
  }

  // What the turns of one block take, each with the run before it.
  Nanoseconds block_of(const Trial& trial) const {
    return 2.0 * static_cast<double>(options_.shoot_out.block) * trial.observation.statistics->median;
  }

  // The finalists, and behind them the default configuration where it is none of them.
  std::vector<Trial> contestants_of(const std::vector<Contenders::Contender>& finalists) const {
    std::vector<Trial> contestants;
    for (const Contenders::Contender& each : finalists) contestants.push_back(each.trial);
    const bool among_them = std::ranges::any_of(contestants, [this](const Trial& each) { return is_default(each); });
    if (!among_them && default_takes_part(contestants.front())) contestants.push_back(*result_.baseline);
    return contestants;
  }

  bool is_default(const Trial& trial) const { return trial.configuration.id() == default_id_; }

  // Unless its runs would take longer than the whole final may, and it is so slow that it cannot win.
  bool default_takes_part(const Trial& best) const {
    if (!result_.baseline || !result_.baseline->observation.ok()) return false;
    return block_of(*result_.baseline) <= std::max(options_.shoot_out.max_time, 2.0 * block_of(best));
  }

  // Runs all contestants on the first device that is left.
  Result<Final> compare(const std::vector<Trial>& contestants) {
    const std::size_t member = *crew_.idle();
    measure::ShootOutOptions shoot_out = options_.shoot_out;
    shoot_out.cancel = options_.cancel;
    std::vector<Configuration> configurations;
    for (const Trial& each : contestants) configurations.push_back(each.configuration);
    Result<Contest> contest = crew_.evaluator(member).hold_contest(configurations, shoot_out);
    note(member, crew_.evaluator(member).pipeline());
    if (!contest && lose(member, contest.error())) return compare(contestants);
    if (!contest) return std::move(contest).error();
    Final final{{}, std::move(contest->rounds)};
    const auto now = std::chrono::system_clock::now();
    for (std::size_t i = 0; i < contest->observations.size(); ++i) {
      Observation& observation = contest->observations[i];
      if (observation.ok()) observation.in_search = contestants[i].observation.search_figures();
      final.trials.push_back({contestants[i].configuration, std::move(observation), now,
                              several() ? result_.devices[member].device : std::string()});
    }
    return final;
  }

  Result<void> record(Final& final, std::size_t finalists) {
    const std::optional<std::size_t> winner = decide(final, finalists, default_id_, options_.shoot_out.max_blocks);
    if (winner) result_.best = final.trials[*winner];
    for (const Trial& trial : final.trials) {
      if (trial.observation.ok()) count_samples(trial.observation);
      if (trial.observation.final_place == FinalPlace::tied) result_.ties.push_back(trial);
      WATTUNE_TRY(sink_.add(trial));
      replace(trial);
    }
    return {};
  }

  // Of a configuration that was correct before.
  void replace(const Trial& trial) {
    if (is_default(trial)) result_.baseline = trial;
    if (trial.observation.ok()) return;
    --result_.by_status[Status::correct];
    ++result_.by_status[trial.observation.status];
    contenders_.remove(trial.configuration.id());
  }

  bool cancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

  bool stop() {
    if (cancelled()) {
      result_.stop_reason = kCancelled;
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
  const std::span<Evaluator* const> evaluators_;
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
  std::optional<Error> error_;  // ends the run
  Crew crew_;
};

}  // namespace

Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy,
                          std::span<Evaluator* const> evaluators, TrialSink& sink, TuningObserver& observer,
                          const std::vector<Trial>& resumed, const TuningOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  return Loop(space, strategy, evaluators, sink, observer, options).run(resumed);
}

}  // namespace wattune::tune
