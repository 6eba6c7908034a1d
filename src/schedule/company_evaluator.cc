#include "schedule/company_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tune/energy.h"

namespace wattune::schedule {

namespace {

Observation failed_together(Status status, std::string message) {
  std::ranges::replace(message, '\n', ' ');
  return {.status = status, .message = std::move(message)};
}

// What no configuration is to blame for: then there is nothing left to run on.
bool ends_all(const Error& error) {
  return error.code() == ErrorCode::device_lost || error.code() == ErrorCode::cancelled;
}

Metric in_seconds(std::string name, Nanoseconds time) { return {std::move(name), to_seconds(time), "s", {}}; }

// All members of a configuration, run again and again.
class CompanyLoad : public power::Load {
 public:
  CompanyLoad(CompanyRunner& runner, const power::Recorder& recorder) : runner_(runner), recorder_(recorder) {}

  Result<Batch> run(std::size_t launches) override {
    const Nanoseconds begin = recorder_.now();
    WATTUNE_TRY(runner_.keep_busy(launches));
    return Batch{launches, begin, recorder_.now()};
  }

 private:
  CompanyRunner& runner_;
  const power::Recorder& recorder_;
};

}  // namespace

Result<const Observation*> Soloist::evaluate(const Configuration& own) {
  const auto known = known_.find(own.id());
  if (known != known_.end()) return &known->second;
  WATTUNE_ASSIGN(Observation observation, parts_.evaluator->evaluate(own));
  return &known_.emplace(own.id(), std::move(observation)).first->second;
}

std::optional<ConfigurationId> Soloist::best() const {
  std::optional<ConfigurationId> best;
  for (const auto& [id, observation] : known_)
    if (observation.ok() && (!best || observation.statistics->median < known_.at(*best).statistics->median)) best = id;
  return best;
}

void Soloist::know(ConfigurationId own, Nanoseconds time, bool verified) {
  Observation observation{.verified = verified, .samples = {{.time = time}}};
  observation.statistics = measure::summarize(observation.samples);
  known_.emplace(own, std::move(observation));
}

CompanyEvaluator::CompanyEvaluator(const CompanySpace& space, backend::Device& device, std::vector<Soloist> soloists,
                                   CompanySetUp set_up)
    : space_(space),
      device_(device),
      soloists_(std::move(soloists)),
      set_up_(std::move(set_up)),
      stage_(device, space, set_up_.limits) {}

Result<Observation> CompanyEvaluator::evaluate(const Configuration& all) {
  WATTUNE_ASSIGN(Ready ready, prepare(all));
  if (ready.runner == nullptr) return std::move(ready.failure);
  auto samples = set_up_.policy->measure(*ready.runner, best_);
  if (!samples && ends_all(samples.error())) return std::move(samples).error();
  if (!samples) return failed_together(Status::runtime, samples.error().to_string());
  Observation observation{.verified = true, .samples = *std::move(samples)};
  observation.statistics = measure::summarize(observation.samples);
  if (!(observation.statistics->median > Nanoseconds()))
    return failed_together(Status::runtime,
                           "together they took 0 ns by the device's clock, which is too coarse to time them");
  if (Result<void> observed = observe(all, *ready.runner, observation); !observed) {
    if (ends_all(observed.error())) return std::move(observed).error();
    return failed_together(Status::runtime, observed.error().to_string());
  }
  if (!best_ || observation.statistics->median < best_->median) best_ = observation.statistics;
  return observation;
}

// None: each member's own configuration is right alone.
Result<std::optional<Observation>> CompanyEvaluator::check_alone(const Configuration& all) {
  for (std::size_t k = 0; k < space_.size(); ++k) {
    auto alone = soloists_[k].evaluate(space_.own(k, all));
    if (!alone) return std::move(alone).error().with_context(space_.member(k).name);
    const Observation& its = **alone;
    if (its.ok()) continue;
    const std::string why = fmt::format("{} fails alone: {}", space_.member(k).name, its.message);
    return std::optional(failed_together(its.status, why));
  }
  return std::optional<Observation>();
}

Result<CompanyEvaluator::Ready> CompanyEvaluator::prepare(const Configuration& all) {
  WATTUNE_ASSIGN(std::optional<Observation> wrong, check_alone(all));
  if (wrong) return Ready{nullptr, *std::move(wrong)};
  Result<Ready> ready = stand_ready(all);
  if (ready || ends_all(ready.error())) return ready;
  const bool refused = ready.error().code() == ErrorCode::invalid_argument;  // such as clocks that the board lacks
  return Ready{nullptr, failed_together(refused ? Status::constraints : Status::runtime, ready.error().to_string())};
}

Result<CompanyEvaluator::Ready> CompanyEvaluator::stand_ready(const Configuration& all) {
  WATTUNE_ASSIGN(auto runner, stage_.gather(all, set_up_.plan));
  WATTUNE_ASSIGN(const std::optional<std::string> difference, runner->difference());
  if (difference) return Ready{nullptr, failed_together(Status::correctness, *difference)};
  WATTUNE_TRY(set_clocks(all, *runner));
  return Ready{std::move(runner)};
}

Result<void> CompanyEvaluator::set_clocks(const Configuration& all, CompanyRunner& runner) {
  WATTUNE_TRY(set_up_.clocks.apply(all));
  return set_up_.clocks.settle([&](std::size_t runs) { return runner.run(runs); });
}

Result<void> CompanyEvaluator::observe(const Configuration& all, CompanyRunner& runner, Observation& observation) {
  WATTUNE_TRY(add_own_times(all, runner, observation));
  at_work_ += std::accumulate(observation.samples.begin(), observation.samples.end(), Nanoseconds(),
                              [](Nanoseconds sum, const Sample& sample) { return sum + sample.time; });
  if (set_up_.recorder == nullptr) return {};
  WATTUNE_ASSIGN(const power::EnergyFigures figures, energy_of(runner, observation.statistics->median));
  std::ranges::move(tune::metrics_of(figures, {tune::BoardMetric::energy, tune::BoardMetric::power}),
                    std::back_inserter(observation.metrics));
  observation.objective_value = figures.energy.value.value();
  return {};
}

Result<void> CompanyEvaluator::add_own_times(const Configuration& all, CompanyRunner& runner,
                                             Observation& observation) {
  for (std::size_t k = 0; k < space_.size(); ++k) {
    const std::string& name = space_.member(k).name;
    WATTUNE_ASSIGN(const Observation* alone, soloists_[k].evaluate(space_.own(k, all)));
    observation.verified = observation.verified && alone->verified;
    observation.metrics.push_back(in_seconds(time_metric(name), runner.own_time(k)));
    observation.metrics.push_back(in_seconds(alone_metric(name), alone->statistics->median));
  }
  return {};
}

Result<power::EnergyFigures> CompanyEvaluator::energy_of(CompanyRunner& runner, Nanoseconds time) {
  CompanyLoad load(runner, *set_up_.recorder);
  power::EnergyOptions options{.window = set_up_.energy_window, .context_idle = set_up_.recorder->context_idle()};
  options.budget = std::max(options.budget, 4.0 * set_up_.energy_window) + 100.0 * time;  // as for one kernel
  return power::measure(*set_up_.recorder, load, options);
}

// One configuration in a contest: its time, or its energy.
class CompanyEvaluator::Turns : public measure::Contestant {
 public:
  Turns(CompanyEvaluator& evaluator, const Configuration& configuration, CompanyRunner& runner)
      : evaluator_(evaluator), configuration_(configuration), runner_(runner) {}

  Result<measure::Turn> take_turn(Nanoseconds warm_up) override {
    WATTUNE_TRY(evaluator_.set_clocks(configuration_, runner_));
    WATTUNE_ASSIGN(measure::Turn turn, measure::TimedContestant(runner_).take_turn(warm_up));
    if (evaluator_.set_up_.recorder == nullptr) return turn;
    WATTUNE_ASSIGN(const power::EnergyFigures figures, evaluator_.energy_of(runner_, turn.sample.time));
    turn.objective = figures.energy.value.value();
    turn.spent += figures.took;
    return turn;
  }

 private:
  CompanyEvaluator& evaluator_;
  const Configuration& configuration_;
  CompanyRunner& runner_;
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

// Of those that stand; who fails stands no more, and the others begin anew. Empty: it was cancelled.
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
    if (ready.runner == nullptr) return drop(i, std::move(ready.failure));
    runners.push_back(std::move(ready.runner));
    contestants.push_back(&turns.emplace_back(*this, configurations[standing[i]], *runners.back()));
  }
  std::size_t who = 0;
  auto rounds = measure::run_shoot_out(contestants, options, who);
  if (!rounds && ends_all(rounds.error())) return std::move(rounds).error();
  if (!rounds) return drop(who, failed_together(Status::runtime, rounds.error().to_string()));
  if (rounds->empty()) return tune::Contest();
  contest.rounds = *std::move(rounds);
  for (std::size_t i = 0; i < standing.size(); ++i) {
    WATTUNE_ASSIGN(contest.observations[i], of_turns(configurations[standing[i]], contest.rounds[i], *runners[i]));
  }
  return contest;
}

// The energy is that of its turn in the middle.
Result<Observation> CompanyEvaluator::of_turns(const Configuration& all, const std::vector<measure::Turn>& turns,
                                               CompanyRunner& runner) {
  Observation observation{.verified = true};
  std::vector<double> objectives;
  for (const measure::Turn& turn : turns) {
    observation.samples.push_back(turn.sample);
    objectives.push_back(turn.objective);
  }
  observation.statistics = measure::summarize(observation.samples);
  WATTUNE_TRY(add_own_times(all, runner, observation));
  if (set_up_.recorder == nullptr) return observation;
  const auto middle = objectives.begin() + static_cast<std::ptrdiff_t>(objectives.size() / 2);
  std::ranges::nth_element(objectives, middle);
  observation.metrics.push_back({to_string(tune::BoardMetric::energy), *middle, "J", {}});
  observation.objective_value = *middle;
  return observation;
}

}  // namespace wattune::schedule
