#include "company/company_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/median.h"
#include "core/stopwatch.h"
#include "tune/interface/energy.h"

namespace wattune::inline v0_1::company {

namespace {

Observation failed_together(Status status, std::string message) {
  std::ranges::replace(message, '\n', ' ');
  return {.status = status, .message = std::move(message)};
}

// True if the error is not caused by a configuration: the device is gone, or the board reports no energy or does not
// obey.
bool ends_all(const Error& error) {
  return error.code() == ErrorCode::device_lost || error.code() == ErrorCode::cancelled ||
         error.code() == ErrorCode::unavailable;
}

Metric in_seconds(std::string name, Nanoseconds time) { return {std::move(name), to_seconds(time), "s", {}}; }

Nanoseconds median_time(std::span<const OwnTimes> runs, std::size_t member) {
  std::vector<double> times;
  for (const OwnTimes& run : runs) times.push_back(run[member].value());
  return Nanoseconds(median_of(std::move(times)));
}

// A load for energy measurements: it runs all members of a configuration again and again at its clocks.
class CompanyLoad : public power::Load {
 public:
  CompanyLoad(tune::BoardClocks& clocks, const Configuration& all, CompanyRunner& runner,
              const power::Recorder& recorder)
      : clocks_(clocks), all_(all), runner_(runner), recorder_(recorder) {}

  Result<Batch> run(std::size_t launches) override {
    WATTUNE_TRY(clocks_.apply(all_));
    const Nanoseconds begin = recorder_.now();
    WATTUNE_TRY(runner_.keep_busy(launches));
    return Batch{launches, begin, recorder_.now()};
  }

 private:
  tune::BoardClocks& clocks_;
  const Configuration& all_;
  CompanyRunner& runner_;
  const power::Recorder& recorder_;
};

}  // namespace

Result<const Observation*> Soloist::evaluate(const Configuration& own) {
  WATTUNE_ASSIGN(Observation observation, parts_.evaluator->evaluate(own));
  compile_time_ += observation.phases.compile;
  measure_time_ += observation.phases.measure;
  return &known_.insert_or_assign(own.id(), std::move(observation)).first->second;
}

const Observation* Soloist::find(ConfigurationId own) const {
  const auto known = known_.find(own);
  return known == known_.end() ? nullptr : &known->second;
}

std::optional<ConfigurationId> Soloist::best() const {
  std::optional<ConfigurationId> best;
  for (const auto& [id, observation] : known_)
    if (observation.ok() && (!best || observation.statistics->median < known_.at(*best).statistics->median)) best = id;
  return best;
}

void Soloist::know(ConfigurationId own, Nanoseconds time, bool verified) {
  Observation observation{.message = verified ? "" : "an earlier run did not compare its outputs",
                          .verified = verified,
                          .samples = {{.time = time}}};
  observation.statistics = measure::summarize(observation.samples);
  known_.emplace(own, std::move(observation));
}

CompanyEvaluator::CompanyEvaluator(const CompanySpace& space, backend::Device& device, std::vector<Soloist> soloists,
                                   CompanySetUp set_up)
    : space_(space),
      device_(device),
      soloists_(std::move(soloists)),
      set_up_(std::move(set_up)),
      stage_(device, space, set_up_.evaluation.limits) {}

Result<Observation> CompanyEvaluator::evaluate(const Configuration& all) {
  WATTUNE_ASSIGN(Ready ready, prepare(all));
  Observation& observation = ready.observation;
  if (ready.runner == nullptr) return std::move(observation);
  const Stopwatch measuring;
  const Result<void> measured = measure(all, *ready.runner, observation);
  if (!measured && ends_all(measured.error())) return measured.error();
  observation.phases.measure += measuring.elapsed();
  if (!measured) {
    Observation failed = failed_together(Status::runtime, measured.error().to_string());
    failed.phases = observation.phases;
    return failed;
  }
  if (!best_ || observation.statistics->median < best_->median) know_best(observation);
  return std::move(observation);
}

void CompanyEvaluator::know_best(const Observation& best) {
  if (set_up_.recorder == nullptr) best_ = best.statistics;
}

Nanoseconds CompanyEvaluator::turn_overhead() const {
  if (set_up_.recorder == nullptr) return {};
  // The time is at least the window, even if an earlier run measured a shorter one.
  return std::max(energy_takes_, set_up_.evaluation.energy_window);
}

// The clocks settle while the member runs; a failure counts independently of the clock. An error for clocks that the
// board refuses concerns only the default configuration.
Result<const Observation*> CompanyEvaluator::alone(std::size_t member, const Configuration& own) {
  Soloist& soloist = soloists_[member];
  if (const Observation* known = soloist.find(own.id())) return known;
  const tune::Spin spin = [&](std::size_t) -> Result<std::vector<Sample>> {
    WATTUNE_ASSIGN(const Observation* its, soloist.evaluate(own));
    if (!its->ok()) return Error(ErrorCode::launch_failed, its->message);
    return its->samples;
  };
  const Result<void> set = set_clocks(space_.space().configuration(space_.space().default_configuration()), spin);
  const Observation* tried = soloist.find(own.id());
  if (tried != nullptr && !tried->ok()) return tried;
  if (!set && set.error().code() != ErrorCode::invalid_argument) return set.error();
  return soloist.evaluate(own);
}

// Returns the failure of the first member whose own configuration fails alone; nullopt if all are correct.
Result<std::optional<Observation>> CompanyEvaluator::check_alone(const Configuration& all) {
  for (std::size_t k = 0; k < space_.size(); ++k) {
    auto its = alone(k, space_.own(k, all));
    if (!its) return std::move(its).error().with_context(space_.member(k).name);
    if ((*its)->ok()) continue;
    const std::string why = fmt::format("{} fails alone: {}", space_.member(k).name, (*its)->message);
    return std::optional(failed_together((*its)->status, why));
  }
  return std::optional<Observation>();
}

Result<CompanyEvaluator::Ready> CompanyEvaluator::prepare(const Configuration& all) {
  const Stopwatch preparing;
  const PhaseTimes before = spent_on_kernels();
  WATTUNE_ASSIGN(std::optional<Observation> wrong, check_alone(all));
  Result<Ready> ready = wrong ? Ready{.observation = *std::move(wrong)} : stand_ready(all);
  if (!ready && ends_all(ready.error())) return ready;
  if (!ready) {
    const bool refused = ready.error().code() == ErrorCode::invalid_argument;  // such as clocks that the board lacks
    const Status status = refused ? Status::constraints : Status::runtime;
    ready = Ready{.observation = failed_together(status, ready.error().to_string())};
  }
  const PhaseTimes after = spent_on_kernels();
  PhaseTimes& phases = ready->observation.phases;
  phases.compile = after.compile - before.compile;
  phases.measure = after.measure - before.measure;
  phases.check = std::max(Nanoseconds(), preparing.elapsed() - phases.compile - phases.measure);
  return ready;
}

PhaseTimes CompanyEvaluator::spent_on_kernels() const {
  PhaseTimes spent{.compile = stage_.compile_time(), .check = {}, .measure = {}};
  for (const Soloist& soloist : soloists_) {
    spent.compile += soloist.compile_time();
    spent.measure += soloist.measure_time();
  }
  return spent;
}

std::vector<Nanoseconds> CompanyEvaluator::times_alone(const Configuration& all) const {
  std::vector<Nanoseconds> times;
  for (std::size_t k = 0; k < space_.size(); ++k)
    times.push_back(soloists_[k].find(space_.own(k, all).id())->statistics->median);
  return times;
}

Result<CompanyEvaluator::Ready> CompanyEvaluator::stand_ready(const Configuration& all) {
  WATTUNE_ASSIGN(auto runner, stage_.gather({all, times_alone(all)}, set_up_.plan));
  WATTUNE_ASSIGN(const std::optional<std::string> difference, runner->difference());
  if (difference) return Ready{.observation = failed_together(Status::correctness, *difference)};
  WATTUNE_TRY(set_clocks(all, [&](std::size_t runs) { return runner->run(runs); }));
  return Ready{std::move(runner), {.verified = true}};
}

Result<void> CompanyEvaluator::set_clocks(const Configuration& all, const tune::Spin& spin) {
  if (set_up_.clocks.must_look()) WATTUNE_TRY(set_up_.clocks.look(spin));
  WATTUNE_TRY(set_up_.clocks.apply(all));
  return set_up_.clocks.settle(spin);
}

// Policies warm up before they sample, so the samples are the last runs.
Result<void> CompanyEvaluator::measure(const Configuration& all, CompanyRunner& runner, Observation& observation) {
  WATTUNE_ASSIGN(observation.samples, set_up_.policy->measure(runner, best_));
  observation.statistics = measure::summarize(observation.samples);
  if (!(observation.statistics->median > Nanoseconds()))
    return Error(ErrorCode::launch_failed,
                 "together they took 0 ns by the device's clock, which is too coarse to time them");
  add_own_times(all, runner.own_times(observation.samples.size()), observation);
  return set_up_.recorder == nullptr ? Result<void>() : add_energy(all, runner, observation);
}

Result<void> CompanyEvaluator::add_energy(const Configuration& all, CompanyRunner& runner, Observation& observation) {
  WATTUNE_ASSIGN(const power::EnergyFigures figures, energy_of(all, runner, observation.statistics->median));
  energy_takes_ = figures.took;
  std::ranges::move(tune::metrics_of(figures, {tune::BoardMetric::energy, tune::BoardMetric::power}),
                    std::back_inserter(observation.metrics));
  observation.objective_value = figures.energy.value.value();
  return {};
}

void CompanyEvaluator::add_own_times(const Configuration& all, std::span<const OwnTimes> runs,
                                     Observation& observation) const {
  const std::vector<Nanoseconds> times = times_alone(all);
  for (std::size_t k = 0; k < space_.size(); ++k) {
    const std::string& name = space_.member(k).name;
    const Observation& its = *soloists_[k].find(space_.own(k, all).id());
    if (observation.verified && !its.verified) {
      observation.verified = false;
      observation.message = fmt::format("{}: {}", name, its.message);
    }
    observation.metrics.push_back(in_seconds(time_metric(name), median_time(runs, k)));
    observation.metrics.push_back(in_seconds(alone_metric(name), times[k]));
  }
}

Result<power::EnergyFigures> CompanyEvaluator::energy_of(const Configuration& all, CompanyRunner& runner,
                                                         Nanoseconds time) {
  power::Recorder& recorder = *set_up_.recorder;
  CompanyLoad load(set_up_.clocks, all, runner, recorder);
  WATTUNE_ASSIGN(const power::EnergyOptions options,
                 tune::energy_options(set_up_.clocks, idle_power_, recorder, time, set_up_.evaluation.energy_window));
  return power::measure(recorder, load, options);
}

// A configuration in a contest, with its time or its energy.
class CompanyEvaluator::Turns : public measure::Contestant {
 public:
  Turns(CompanyEvaluator& evaluator, const Configuration& configuration, CompanyRunner& runner)
      : evaluator_(evaluator), configuration_(configuration), runner_(runner) {}

  Result<measure::Turn> take_turn(Nanoseconds warm_up) override {
    const Nanoseconds before = runner_.spent();
    WATTUNE_TRY(evaluator_.set_clocks(configuration_, [this](std::size_t runs) { return runner_.run(runs); }));
    WATTUNE_ASSIGN(measure::Turn turn, measure::TimedContestant(runner_).take_turn(warm_up));
    own_times_.push_back(runner_.own_times(1).front());
    turn.spent = runner_.spent() - before;
    if (evaluator_.set_up_.recorder == nullptr) return turn;
    WATTUNE_ASSIGN(const power::EnergyFigures figures, evaluator_.energy_of(configuration_, runner_, turn.sample.time));
    turn.objective = figures.energy.value.value();
    turn.spent += figures.took;
    return turn;
  }
  // Returns the members' times in each turn.
  std::span<const OwnTimes> own_times() const { return own_times_; }

 private:
  CompanyEvaluator& evaluator_;
  const Configuration& configuration_;
  CompanyRunner& runner_;
  std::vector<OwnTimes> own_times_;
};

Result<tune::Contest> CompanyEvaluator::hold_contest(const std::vector<Configuration>& configurations,
                                                     const measure::ShootOutOptions& options) {
  std::vector<std::size_t> standing(configurations.size());
  std::iota(standing.begin(), standing.end(), std::size_t{0});
  tune::Contest result{std::vector<Observation>(configurations.size()), measure::Rounds(configurations.size())};
  for (std::size_t before = standing.size() + 1; before > standing.size() && !standing.empty();) {
    before = standing.size();
    const std::vector<std::size_t> called = standing;
    WATTUNE_ASSIGN(tune::Contest contest, contest_of(configurations, options, standing));
    if (contest.observations.empty()) return tune::Contest();
    for (std::size_t i = 0; i < called.size(); ++i) {
      result.observations[called[i]] = std::move(contest.observations[i]);
      result.rounds[called[i]] = std::move(contest.rounds[i]);
    }
    if (before == standing.size()) break;
  }
  return result;
}

// Holds a contest of the configurations that have not failed. If one fails, removes it from `standing` and returns only
// its failure; the caller begins again with the others. Returns an empty contest if it was cancelled.
Result<tune::Contest> CompanyEvaluator::contest_of(const std::vector<Configuration>& configurations,
                                                   const measure::ShootOutOptions& options,
                                                   std::vector<std::size_t>& standing) {
  tune::Contest contest{std::vector<Observation>(standing.size()), measure::Rounds(standing.size())};
  const auto drop = [&](std::size_t i, Observation why) {
    contest.observations[i] = std::move(why);
    standing.erase(standing.begin() + static_cast<std::ptrdiff_t>(i));
    return std::move(contest);
  };
  std::vector<std::unique_ptr<CompanyRunner>> runners;
  std::vector<Turns> turns;
  turns.reserve(standing.size());
  std::vector<measure::Contestant*> contestants;
  for (std::size_t i = 0; i < standing.size(); ++i) {
    if (options.cancelled()) return tune::Contest();
    WATTUNE_ASSIGN(Ready ready, prepare(configurations[standing[i]]));
    if (ready.runner == nullptr) return drop(i, std::move(ready.observation));
    runners.push_back(std::move(ready.runner));
    contestants.push_back(&turns.emplace_back(*this, configurations[standing[i]], *runners.back()));
  }
  std::size_t who = 0;
  auto rounds = measure::run_shoot_out(contestants, options, who);
  if (!rounds && ends_all(rounds.error())) return std::move(rounds).error();
  if (!rounds) return drop(who, failed_together(Status::runtime, rounds.error().to_string()));
  if (rounds->empty()) return tune::Contest();
  contest.rounds = *std::move(rounds);
  for (std::size_t i = 0; i < standing.size(); ++i)
    contest.observations[i] = of_turns(configurations[standing[i]], contest.rounds[i], turns[i].own_times());
  return contest;
}

Observation CompanyEvaluator::of_turns(const Configuration& all, const std::vector<measure::Turn>& turns,
                                       std::span<const OwnTimes> own_times) const {
  Observation observation{.verified = true};
  std::vector<double> objectives;
  for (const measure::Turn& turn : turns) {
    observation.samples.push_back(turn.sample);
    objectives.push_back(turn.objective);
  }
  observation.statistics = measure::summarize(observation.samples);
  add_own_times(all, own_times, observation);
  if (set_up_.recorder == nullptr) return observation;
  observation.objective_value = median_of(std::move(objectives));
  observation.metrics.push_back({to_string(tune::BoardMetric::energy), *observation.objective_value, "J", {}});
  return observation;
}

}  // namespace wattune::company
