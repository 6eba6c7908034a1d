#include "tune/evaluate/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "backend/interface/build_log.h"
#include "backend/interface/polling.h"
#include "backend/interface/second_try.h"
#include "core/stopwatch.h"
#include "tune/evaluate/argument_check.h"
#include "tune/evaluate/session_runner.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::tune {

namespace {}  // namespace

void Attempt::evaluate(const Configuration& configuration) {
  const bool good = plan(configuration) && set_clocks() && build() && fit() && inspect() &&
                    (checks_later() ? launch_once() : check()) && settle_clocks() && measure() &&
                    (!checks_later() || check_if_needed()) && kept_clocks();
  runner_.reset();
  kernels_.clear();
  program_.reset();
  if (!good) return observation_.statistics.reset();
  run_.limits.saw_compile(std::max(observation_.phases.compile, first_launch_overhead_));
  run_.limits.saw_run(observation_.statistics->median);
  run_.energy_front.learn(observation_);
  if (is_best()) run_.incumbent = observation_;
}

bool Attempt::load(const Configuration& configuration) {
  finalist_ = true;
  return plan(configuration) && build() && fit() && inspect();
}

bool Attempt::prepare() { return set_clocks() && check() && settle_clocks() && observe_counters() && ask_observers(); }

measure::Runner& Attempt::runner() {
  if (!runner_)
    runner_ = std::make_unique<SessionRunner>(run_, configuration_, kernels_, launch_, run_.options.launching);
  return *runner_;
}

bool Attempt::conclude(std::vector<Sample> samples) {
  if (!kept_clocks()) return false;
  const auto wrong = std::ranges::find_if_not(samples, is_measurable, &Sample::time);
  if (wrong != samples.end())
    return fail(Status::runtime,
                fmt::format("a run took {} ns by the device's clock, which cannot be", wrong->time.value()));
  observation_.samples = std::move(samples);
  observation_.statistics = measure::summarize(observation_.samples);
  if (observation_.statistics->median == Nanoseconds()) {
    observation_.statistics.reset();
    return fail(Status::runtime, "the kernel took 0 ns by the device's clock, which is too coarse to time it");
  }
  if (!observe()) {
    observation_.statistics.reset();
    return false;
  }
  const Result<void> added = run_.metrics.add_to(observation_, configuration_);
  if (added) return true;
  observation_.statistics.reset();
  return fail(Status::constraints, one_line(added.error().to_string()));
}

Result<measure::Turn> Attempt::take_turn(Nanoseconds warm_up) {
  Result<measure::Turn> turn = measure::TimedContestant(runner()).take_turn(warm_up);
  if (!turn) {
    fail(Phase::launch, turn.error());
    return turn;
  }
  if (run_.metrics.objective_needs_energy()) {
    turns_.push_back(turn->sample);
    const auto figures = measure_energy(measure::summarize(turns_).median, run_.options.energy_window);
    if (!figures) {
      fail(Phase::observe, figures.error());
      return figures.error();
    }
    energy_.push_back(*figures);
    turn->spent += figures->took;
  }
  const Result<double> objective = objective_of(*turn);
  if (!objective) {
    fail(Status::constraints, one_line(objective.error().to_string()));
    return objective.error();
  }
  turn->objective = *objective;
  return turn;
}

Result<double> Attempt::objective_of(const measure::Turn& turn) const {
  std::vector<Metric> measured = observation_.metrics;
  if (!energy_.empty()) {
    const std::vector<Metric> more = metrics_of(energy_.back(), run_.options.observe);
    measured.insert(measured.end(), more.begin(), more.end());
  }
  return run_.metrics.objective(measured, turn.sample.time, configuration_);
}

bool Attempt::plan(const Configuration& configuration) {
  configuration_ = configuration;
  Result<Launch> launch = run_.launch(configuration);
  if (!launch) return fail(Status::constraints, one_line(launch.error().to_string()));
  launch_ = *std::move(launch);
  std::string beyond = limit_exceeded(launch_, run_.device.info());
  return beyond.empty() || fail(Status::constraints, std::move(beyond));
}

// Sets the clocks of the configuration. If the board refuses a clock, the configuration fails. If permission is missing
// or the board is lost, the run ends.
bool Attempt::set_clocks() {
  if (run_.clocks.must_look() && !look_at_board()) return false;
  const Result<void> set = run_.clocks.apply(configuration_);
  if (set) return true;
  if (set.error().code() == ErrorCode::invalid_argument)
    return fail(Status::constraints, one_line(set.error().to_string()));
  error_ = set.error();
  return false;
}

// Runs this configuration's kernel before any clock is set, to find out whether another program has locked the clocks.
bool Attempt::look_at_board() {
  if (!(build() && fit() && inspect() && launch_once())) return false;
  const Result<void> looked = run_.clocks.look(spin());
  if (looked) return true;
  if (run_.clocks.must_look()) return fail(Phase::launch, looked.error());
  error_ = looked.error();
  return false;
}

// Waits for the clocks to settle. If the board does not reach them, the configuration fails.
bool Attempt::settle_clocks() {
  const Result<void> settled = run_.clocks.settle(spin());
  if (settled) return true;
  if (settled.error().code() != ErrorCode::invalid_argument) return fail(Phase::launch, settled.error());
  return fail(Status::constraints, one_line(settled.error().to_string()));
}

// True if the clocks stayed as they were set. If this process was stopped for long, its guardian process has restored
// the board meanwhile. Then measurements do not count.
bool Attempt::kept_clocks() {
  const Result<void> kept = run_.clocks.confirm();
  if (!kept) error_ = kept.error();
  return kept.has_value();
}

Spin Attempt::spin() {
  return [this](std::size_t runs) {
    return run_.session.run(kernels_, launch_, Outputs::reused, runs, run_.limits.run());
  };
}

bool Attempt::build() {
  const Result<backend::ImageRequest> code = run_.by_configuration.code(configuration_);
  if (!code) return fail(Status::compile, one_line(code.error().to_string()));
  program_ = run_.programs.find(*code);
  if (program_) {
    observation_.build_log = program_->build_log();
    return true;
  }
  if (run_.options.compilers != nullptr) return build_from_image(*code);
  KernelSource source = run_.source;
  if (!code->text.empty()) source.text = code->text;
  const Stopwatch stopwatch;
  Result<std::unique_ptr<backend::Program>> program = run_.device.build(source, code->macros, run_.limits.compile());
  observation_.phases.compile = stopwatch.elapsed();
  return keep(std::move(program), *code);
}

// Builds from an image of the compile pool. The recorded compile time is the time of the compiler, not the time for
// which this thread waited.
bool Attempt::build_from_image(const backend::ImageRequest& code) {
  const backend::Compiled compiled = run_.options.compilers->take(code, run_.limits.compile());
  observation_.phases.compile = compiled.took;
  if (!compiled.image) return fail(Phase::compile, compiled.image.error());
  const Stopwatch loading;
  Result<std::unique_ptr<backend::Program>> program =
      run_.device.load(*compiled.image, code.macros, run_.limits.compile());
  observation_.phases.compile += loading.elapsed();
  return keep(std::move(program), code);
}

bool Attempt::keep(Result<std::unique_ptr<backend::Program>> program, const backend::ImageRequest& code) {
  if (!program) return fail(Phase::build, program.error());
  program_ = *std::move(program);
  if (shares_code(run_.spec)) run_.programs.keep(code, program_);
  observation_.build_log = program_->build_log();
  return true;
}

bool Attempt::fit() {
  return std::ranges::all_of(launch_.steps, [&](const PlannedStep& step) { return fit(step); });
}

bool Attempt::fit(const PlannedStep& step) {
  std::unique_ptr<backend::Kernel>& kernel = kernels_[step.function];
  if (kernel == nullptr) {
    Result<std::unique_ptr<backend::Kernel>> found = program_->kernel(step.function);
    if (!found) return fail(Phase::build, found.error());
    kernel = *std::move(found);
  }
  if (auto fits = check_arguments(*kernel, run_.spec, launch_, step); !fits) return fail(Phase::build, fits.error());
  const std::size_t most = kernel->max_work_group_size();
  if (most == 0 || group_items(step) <= most) return true;
  return fail(Status::runtime,
              fmt::format("a work-group of {} work-items, the compiled kernel allows {}", group_items(step), most));
}

bool Attempt::inspect() {
  backend::KernelResources all;
  std::set<std::tuple<std::string, std::size_t, std::size_t>> asked;
  for (const PlannedStep& step : launch_.steps) {
    const std::size_t items = group_items(step);
    const std::size_t bytes = local_bytes(launch_, step);
    if (!asked.emplace(step.function, items, bytes).second) continue;
    const Result<backend::KernelResources> resources = kernels_.at(step.function)->resources(items, bytes);
    if (!resources) return fail(Phase::launch, resources.error());
    all = worst_of(all, *resources);
  }
  observation_.metrics = metrics_of(all);
  Result<std::string> broken = run_.resource_constraints.broken(observation_.metrics, configuration_);
  if (!broken) return fail(Status::constraints, one_line(broken.error().to_string()));
  return broken->empty() || fail(Status::constraints, *std::move(broken));
}

bool Attempt::check() {
  const Stopwatch stopwatch;
  const bool good = (launch_once() && compare_outputs()) || right_on_fresh_inputs();
  observation_.phases.check = stopwatch.elapsed();
  return good;
}

// Returns the number of runs that are queued before the first wait. Several runs in one wait save time, because each
// wait may take long if other processes compute on the device.
std::size_t Attempt::first_runs() const {
  if (!begins_race() || !first_runs_.empty() || !run_.incumbent) return 1;
  return run_.policy.first_runs(run_.incumbent->statistics->median);
}

bool Attempt::launch_once() {
  if (auto done = run_.session.prepare(launch_.arguments); !done) return fail(Phase::prepare, done.error());
  const Stopwatch launching;
  run_.has_launched = true;
  Result<std::vector<Sample>> samples =
      run_.session.run(kernels_, launch_, Outputs::fresh_once, first_runs(), run_.limits.run(), run_.limits.compile());
  if (!samples) return fail(Phase::launch, samples.error());
  first_launch_overhead_ = launching.elapsed();
  for (const Sample& each : *samples) first_launch_overhead_ -= each.time;
  first_runs_ = *std::move(samples);
  run_.spec_fits_kernel = true;
  Result<std::string> writes = run_.session.out_of_bounds_writes();
  if (!writes) return fail(Phase::transfer, writes.error());
  if (writes->empty()) return true;
  damaged_device_ = true;
  return fail(Status::runtime, *std::move(writes));
}

bool Attempt::measure() {
  const Result<std::optional<Statistics>> to_beat = rival();
  if (!to_beat) return fail(Phase::observe, to_beat.error());
  const Stopwatch stopwatch;
  Result<std::vector<Sample>> samples =
      run_.policy.measure(runner(), *to_beat, begins_race() ? first_runs_ : std::vector<Sample>());
  observation_.phases.measure = stopwatch.elapsed();
  if (!samples) return fail(Phase::launch, samples.error());
  return conclude(*std::move(samples));
}

bool Attempt::is_best() const { return !run_.incumbent || observation_.objective() < run_.incumbent->objective(); }

// True if the configuration may be as good as the best so far. With an objective other than the time, returns true for
// every configuration, since there are no intervals to exclude it.
bool Attempt::is_contender() const {
  return is_best() || observation_.objective_value ||
         may_be_as_good(*observation_.statistics, *run_.incumbent->statistics);
}

bool Attempt::checks_later() const {
  return run_.check == CheckOutput::contenders || run_.check == CheckOutput::winners;
}

bool Attempt::begins_race() const {
  return checks_later() && run_.policy.races() && run_.options.launching == Launching::each;
}

// Compares the outputs if the configuration may be the best. The first run began with poisoned outputs. All other runs
// compute the same again, so that elements that were never written are still poisoned.
bool Attempt::check_if_needed() {
  const bool is_needed = run_.check == CheckOutput::contenders ? is_contender() : is_best();
  if (!is_needed) {
    observation_.message = "only configurations that may be the best are compared";
    return true;
  }
  const Stopwatch stopwatch;
  const bool good = compare_outputs() || right_on_fresh_inputs();
  observation_.phases.check = stopwatch.elapsed();
  return good;
}

Status Attempt::status_of(Phase phase) {
  return phase == Phase::compile || phase == Phase::build ? Status::compile : Status::runtime;
}

bool Attempt::fail(Status status, std::string message) {
  observation_.status = status;
  observation_.message = std::move(message);
  return false;
}

bool Attempt::fail(Phase phase, const Error& error) {
  const Status status = status_of(phase);
  const bool on_device = phase != Phase::compile;
  switch (error.code()) {
    case ErrorCode::compile_failed:
      observation_.build_log = error.message();
      return fail(Status::compile, one_line(backend::without_log(error).to_string()));
    case ErrorCode::timeout: damaged_device_ = on_device; return fail_for_time(phase, error);
    case ErrorCode::device_lost: damaged_device_ = on_device; return fail_for_loss(phase, error);
    case ErrorCode::launch_failed:
      damaged_device_ = true;  // since on many devices all launches after a failed one fail, too
      return fail(status, one_line(error.to_string()));
    default: return fail_for_misfit(phase, error);
  }
}

// Records a timeout. The limits with which a run begins are so wide that a busy machine alone never makes a
// configuration exceed them.
bool Attempt::fail_for_time(Phase phase, const Error& error) {
  const bool compiling = phase == Phase::compile || phase == Phase::build ||
                         (phase == Phase::launch && backend::is_compiled_too_long(error));
  if (!compiling && phase != Phase::launch) return fail(Status::timeout, one_line(error.to_string()));
  const bool tightened = compiling ? run_.limits.compile_is_tightened() : run_.limits.run_is_tightened();
  deserves_another_try_ = tightened && backend::load_may_have_caused(error);
  const std::string left = error.advice().empty() ? "" : "; " + error.advice();
  return fail(Status::timeout, compiling ? "compiling took longer than " + run_.limits.compile_in_words() + left
                                         : "the kernel ran longer than " + run_.limits.run_in_words() + left);
}

// Records a lost device. The processes of a compile pool have already tried this configuration a second time.
bool Attempt::fail_for_loss(Phase phase, const Error& error) {
  if (!backend::killed_from_outside(error)) return fail(status_of(phase), one_line(error.to_string()));
  was_killed_ = phase != Phase::compile;
  return fail(Status::runtime, "killed again and again from outside (SIGKILL), perhaps because memory ran out");
}

// Records that sizes do not fit the device, or that the spec does not fit the kernel. Buffers of fixed length were on
// the device before, so a failure to prepare buffers is caused by this configuration's sizes. A missing kernel is a
// mistake in the spec, and so is a kernel that takes other arguments. If the spec fits the kernel for other
// configurations, though, a macro has switched the kernel or the argument off.
bool Attempt::fail_for_misfit(Phase phase, const Error& error) {
  const bool spec_and_kernel = error.code() == ErrorCode::not_found || error.code() == ErrorCode::mismatch;
  const std::string message = one_line(error.to_string());
  if (phase == Phase::prepare) return fail(Status::constraints, message);
  if (phase == Phase::observe) {
    error_ = error;
    return false;
  }
  if (spec_and_kernel && run_.spec_fits_kernel) return fail(status_of(phase), message);
  const bool on_device = phase == Phase::launch || phase == Phase::transfer;
  if (on_device && !spec_and_kernel && error.code() != ErrorCode::internal) return fail(Status::runtime, message);
  error_ = Error(error).at({run_.spec.file.string()});
  return false;
}

}  // namespace wattune::tune
