#include "wattune/tune/evaluator.h"

#include <algorithm>
#include <numeric>

#include "backend/interface/kill_count.h"
#include "core/logging.h"
#include "core/stopwatch.h"
#include "tune/evaluate/attempt.h"
#include "tune/evaluate/evaluation_context.h"
#include "tune/evaluate/foresight.h"
#include "tune/interface/energy.h"
#include "tune/loop/contest.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

Result<void> reset_device(EvaluationContext& run) {
  constexpr int kResetAttempts = 3;
  run.session.drop();
  run.programs.drop();
  run.has_launched = false;
  ++run.resets;
  Result<void> done = run.device.reset();
  for (int i = 1; i < kResetAttempts && !done; ++i) done = run.device.reset();
  if (!done) return Error(ErrorCode::device_lost, "the device cannot be brought back: " + done.error().to_string());
  return {};
}

namespace {

class DeviceEvaluator : public Evaluator {
 public:
  explicit DeviceEvaluator(std::unique_ptr<EvaluationContext> run)
      : run_(std::move(run)), worked_before_(run_->session.working_time()) {}

  // Announces configurations to the processes that compile. Leaves out those that cannot be launched and those whose
  // programs are loaded.
  void expect(const std::vector<Configuration>& configurations) override {
    if (run_->options.compilers == nullptr) return;
    std::vector<backend::ImageRequest> wanted;
    for (const Configuration& configuration : configurations) {
      const Result<Launch> launch = run_->launch(configuration);
      if (!launch || !limit_exceeded(*launch, run_->device.info()).empty()) continue;
      Result<backend::ImageRequest> code = run_->by_configuration.code(configuration);
      if (code && !run_->programs.find(*code)) wanted.push_back(*std::move(code));
    }
    run_->options.compilers->expect(wanted, run_->limits.compile());
  }

  std::vector<std::optional<search::CompileFeatures>> foresee(const std::vector<Configuration>& configurations,
                                                              std::size_t least) override {
    if (run_->options.compilers == nullptr) return Evaluator::foresee(configurations, least);
    run_->options.compilers->wait_for_all_but(configurations.size() - least, run_->limits.compile());
    std::vector<std::optional<search::CompileFeatures>> foreseen;
    for (const Configuration& each : configurations) foreseen.push_back(tune::foresee(*run_, each));
    return foreseen;
  }

  std::optional<Pipeline> pipeline() const override {
    Pipeline pipeline{.devices_busy = {run_->session.working_time() - worked_before_}, .compiling = {}};
    if (run_->options.compilers != nullptr) pipeline.compiling = run_->options.compilers->activity();
    return pipeline;
  }

  Result<Observation> evaluate(const Configuration& configuration) override {
    const bool others_ran = run_->has_launched;
    bool again = false;
    bool killed = false;
    Result<Observation> observation = try_unless_killed(configuration, again, killed);
    const bool others_did_it = others_ran && !killed && earlier_kernels_may_have_caused(observation);
    if (!again && !others_did_it) return observation;
    // A device in an application's context is never reset. In that case the first observation counts.
    if (others_did_it && run_->has_launched && !reset_device(*run_)) return observation;
    run_->limits.widen(true);
    observation = try_unless_killed(configuration, again, killed);
    run_->limits.widen(false);
    return observation;
  }

  void know_best(const Observation& best) override {
    run_->incumbent = best;
    run_->energy_front.learn(best);
  }

  Verification verification() const override { return run_->expected.verification(); }

  std::size_t resets() const override { return run_->resets; }

  DeviceUse device_use() const override {
    const KernelRunner& session = run_->session;
    return {session.working_time() - session.transfer_time() - session.queueing_time(), session.waits()};
  }

  std::string device() const override { return run_->device.info().selector; }

  measure::ObjectiveInterval objective_interval(const Trial& trial) const override {
    return run_->metrics.interval(trial);
  }

  bool holds_contests() const override { return true; }

  Nanoseconds turn_overhead() const override {
    if (!run_->metrics.objective_needs_energy()) return {};
    return std::max(run_->energy_takes, run_->options.energy_window);  // a resumed run may not have measured energy yet
  }

  Result<Contest> hold_contest(const std::vector<Configuration>& configurations,
                               const measure::ShootOutOptions& options) override {
    Contest result{std::vector<Observation>(configurations.size()), measure::Rounds(configurations.size())};
    std::vector<std::size_t> standing(configurations.size());
    std::iota(standing.begin(), standing.end(), std::size_t{0});
    backend::KillCount kills;
    for (bool first = true; !standing.empty(); first = false) {
      std::vector<Configuration> contestants;
      for (const std::size_t i : standing) contestants.push_back(configurations[i]);
      expect(contestants);
      ContestAttempt attempt = try_contest(*run_, contestants, options);
      run_->limits.widen(attempt.deserves_another_try && first);
      if (attempt.damaged_device) WATTUNE_TRY(reset_device(*run_));
      if (attempt.error) return *std::move(attempt.error);
      if (attempt.cancelled) return Contest();
      if (attempt.was_killed && kills.allow_another()) continue;
      if (attempt.deserves_another_try && first) continue;
      for (std::size_t i = 0; i < standing.size(); ++i) {
        result.observations[standing[i]] = std::move(attempt.contest.observations[i]);
        result.rounds[standing[i]] = std::move(attempt.contest.rounds[i]);
      }
      if (!attempt.failed) break;
      standing.erase(standing.begin() + static_cast<std::ptrdiff_t>(*attempt.failed));
    }
    return result;
  }

 private:
  // Evaluates a configuration. Evaluates it again if its worker was killed from outside, which is not the
  // configuration's fault. Sets `killed` to true if the last try was killed, too.
  Result<Observation> try_unless_killed(const Configuration& configuration, bool& again, bool& killed) {
    for (backend::KillCount kills;;) {
      Attempt attempt(*run_);
      attempt.evaluate(configuration);
      if (attempt.damaged_device()) WATTUNE_TRY(reset_device(*run_));
      if (attempt.error()) return *std::move(attempt.error());
      killed = attempt.was_killed();
      if (killed && kills.allow_another()) continue;
      again = attempt.deserves_another_try();
      return std::move(attempt.observation());
    }
  }

  // True if earlier kernels may have caused a failure. On a CPU, kernels run in the driver's own process, and each may
  // harm later ones: by threads, limits, an empty environment, a damaged heap. Wrong outputs, the most frequent
  // failure, are hardly ever caused by earlier kernels.
  bool earlier_kernels_may_have_caused(const Result<Observation>& observation) const {
    if (run_->device.info().kind != DeviceKind::cpu) return false;
    if (!observation) return observation.error().code() != ErrorCode::timeout;
    const Status status = observation->status;
    return status == Status::runtime || (status == Status::compile && run_->options.compilers == nullptr);
  }

  std::unique_ptr<EvaluationContext> run_;
  const Nanoseconds worked_before_;
};

// Uploads the data and computes the reference, so that mistakes in the data, or data too large for the device, are
// found once, before any configuration is evaluated.
Result<void> prepare_run(EvaluationContext& run, const Configuration& start, CheckOutput check) {
  WATTUNE_ASSIGN(const std::vector<PlannedArgument> arguments, run.arguments(start));
  WATTUNE_TRY(run.session.prepare(arguments));
  if (run.options.launching == Launching::graph) WATTUNE_TRY(run.session.check_graphs());
  return check != CheckOutput::never ? run.expected.start(run, start) : Result<void>();
}

Result<void> open_clocks(EvaluationContext& run, const Configuration& start) {
  WATTUNE_ASSIGN(run.clocks,
                 BoardClocks::open(run.spec.parameters, run.device, borrow_options(run.options, run.reference_limit)));
  if (run.clocks.must_look()) return {};  // first, a kernel must show whether other programs lock clocks
  Result<void> set = run.clocks.apply(start);
  if (set || set.error().code() == ErrorCode::invalid_argument) return {};
  return std::move(set).error().with_context("clocks of the default configuration");
}

// Measures the idle power, from which joules are computed. The idle power is known if the board was characterised.
// Otherwise it is measured now, and the properties of the sensors are assumed.
Result<void> know_idle_power(EvaluationContext& run) {
  const std::string& name = run.device.info().name;
  const Result<power::Measured<Watts>> idle = run.idle_power.at(run.clocks.applied(), *run.recorder);
  if (!idle) return Error(idle.error()).with_context("the energy of " + name);
  if (run.recorder->context_idle() || !run.metrics.objective_needs_energy()) return {};
  log_warning(
      "{} is not characterised: {:.4g} W with nothing to do were measured, the rest is assumed; "
      "`wattune power --characterise` finds all of it in half a minute",
      name, idle->value.value());
  return {};
}

// Checks the options for observing only winners. With such options the objective must be the time, so that winners are
// known before anything is observed.
Result<void> check_observers(const KernelSpec& spec, const EvaluatorOptions& options) {
  const bool observes = !observed_metrics(options).empty();
  if (!observes || options.observe_for == ObserveFor::every || !custom_objective(spec)) return {};
  return Error(ErrorCode::invalid_argument, "if only winners are observed, the time must be the objective")
      .about(custom_objective(spec)->metric)
      .hint("observe every configuration");
}

Result<void> check_launching(const EvaluatorOptions& options) {
  if (options.launching == Launching::each) return {};
  if (options.cache == Cache::cold)
    return Error(ErrorCode::invalid_argument, "in a graph a kernel runs again and again, so caches cannot be cold")
        .hint("launch each run by itself, or time warm caches");
  if (!options.observe.empty())
    return Error(ErrorCode::invalid_argument, "what a board tells is not measured beside graphs")
        .about(std::string(to_string(options.observe.front())))
        .hint("launch each run by itself");
  return {};
}

}  // namespace

bool may_be_as_good(const Statistics& one, const Statistics& best) {
  constexpr double kTieFactor = 1.05;
  return one.interval_low <= best.median || one.median <= kTieFactor * best.median;
}

measure::ObjectiveInterval Evaluator::objective_interval(const Trial& trial) const {
  return tune::objective_interval(trial);
}

std::vector<std::string> observed_metrics(const EvaluatorOptions& options) {
  std::vector<std::string> names = options.counters;
  for (const BoardMetric metric : options.observe) names.emplace_back(to_string(metric));
  for (const std::shared_ptr<Observer>& observer : options.observers)
    for (std::string& name : observer->metrics()) names.push_back(std::move(name));
  return names;
}

Nanoseconds Evaluator::now() const {
  static const Stopwatch since_first_asked;
  return since_first_asked.elapsed();
}

Result<std::unique_ptr<Evaluator>> make_evaluator(const KernelSpec& spec, const space::SearchSpace& space,
                                                  backend::Device& device, measure::MeasurePolicy& policy,
                                                  const EvaluatorOptions& options) {
  WATTUNE_TRY(options.limits.validate());
  WATTUNE_TRY(check_launching(options));
  auto run = std::make_unique<EvaluationContext>(spec, device, policy, options);
  WATTUNE_ASSIGN(const auto names, run->by_configuration.readable(Names(spec.problem_size, space.parameters())));
  WATTUNE_ASSIGN(run->plan, LaunchPlan::compile(run->spec, launches_of(spec), names));
  WATTUNE_TRY(run->contents.compile(names));
  WATTUNE_ASSIGN(run->resource_constraints, ResourceConstraints::compile(spec, space.parameters()));
  WATTUNE_ASSIGN(run->metrics, Metrics::compile(spec, space.parameters(), observed_metrics(options)));
  WATTUNE_TRY(check_observers(spec, options));
  if (!options.observe.empty()) {
    WATTUNE_ASSIGN(run->recorder, open_recorder(options, device.info()));
  }

  // The clocks are requested before anything is compiled, so that a user without permission gets the error at once.
  const Configuration start = space.configuration(space.default_configuration());
  WATTUNE_TRY(open_clocks(*run, start));
  Result<void> prepared = prepare_run(*run, start, options.check);
  backend::KillCount kills;
  while (!prepared && kills.allow_another(prepared.error())) {
    WATTUNE_TRY(reset_device(*run));
    prepared = prepare_run(*run, start, options.check);
  }
  if (!prepared) return std::move(prepared).error();
  if (!options.counters.empty()) WATTUNE_TRY(run->session.check_counters(options.counters, run->limits.counting()));
  if (run->recorder != nullptr) WATTUNE_TRY(know_idle_power(*run));
  return std::unique_ptr<Evaluator>(std::make_unique<DeviceEvaluator>(std::move(run)));
}

}  // namespace wattune::tune
