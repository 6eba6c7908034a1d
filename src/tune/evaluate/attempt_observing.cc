// The part of an Attempt that measures more than the time: energy, hardware counters, and the user's observers. It also
// decides, from the time, whether the energy must be measured.
#include <cmath>
#include <utility>

#include "core/interface/energy.h"
#include "core/logging.h"
#include "tune/evaluate/attempt.h"
#include "tune/evaluate/session_runner.h"

namespace wattune::inline v0_1::tune {

// Returns the statistics to race against. If energy decides, a slower configuration may still be better. Then the
// statistics hold the longest time with which a configuration may win.
Result<std::optional<Statistics>> Attempt::rival() {
  const std::optional<Observation>& best = run_.incumbent;
  if (!best) return std::optional<Statistics>();
  const EnergyRivals rivals = run_.energy_rivals();
  if (rivals == EnergyRivals::none) return best->objective_value ? std::nullopt : best->statistics;
  if (rivals == EnergyRivals::best && was_left_out(*best)) return std::optional<Statistics>();
  return rival_in_energy(rivals);
}

Result<std::optional<Statistics>> Attempt::rival_in_energy(EnergyRivals rivals) {
  const LeastDynamicEnergy::Setting& setting = run_.clocks.applied();
  WATTUNE_ASSIGN(const power::Measured<Watts> idle, run_.idle_power.at(setting, *run_.recorder));
  const EnergyRace::Board board{idle.value - idle.uncertainty, run_.least_dynamic.at(setting)};
  const EnergyFront& front = run_.energy_front;
  if (rivals == EnergyRivals::front)
    race_.emplace([&front](Nanoseconds time) { return front.most_energy(time); }, board, front.longest_time());
  else
    race_.emplace(as_good_as(run_.metrics.worst_objective(*run_.incumbent), run_.metrics, configuration_), board);
  const Nanoseconds longest = race_->longest_time();
  return std::optional(Statistics{.median = longest, .interval_low = longest, .interval_high = longest});
}

bool Attempt::observe() {
  const bool observed = run_.options.observe_for == ObserveFor::every || finalist_ || is_best();
  return !observed || (observe_energy() && (finalist_ || (observe_counters() && ask_observers())));
}

bool Attempt::observe_energy() {
  if (run_.options.observe.empty()) return true;
  if (is_left_out()) return leave_out();
  if (energy_.empty()) {
    constexpr double kLongerOfFinalists = power::kFinalistWindow / power::kScreeningWindow;
    const Nanoseconds window = (finalist_ ? kLongerOfFinalists : 1.0) * run_.options.energy_window;
    const Result<power::EnergyFigures> figures = measure_energy(observation_.statistics->median, window);
    if (!figures) return fail(Phase::observe, figures.error());
    energy_.push_back(*figures);
  }
  const std::vector<Metric> metrics = metrics_of(middle_of(energy_), run_.options.observe);
  observation_.metrics.insert(observation_.metrics.end(), metrics.begin(), metrics.end());
  return true;
}

bool Attempt::is_left_out() const { return race_ && observation_.statistics->interval_low > race_->longest_time(); }

bool Attempt::leave_out() {
  const Joules least = race_->least_energy(observation_.statistics->interval_low);
  observation_.metrics.push_back({std::string(kLeastEnergy), least.value(), "J", {}});
  return true;
}

Result<power::EnergyFigures> Attempt::measure_energy(Nanoseconds time, Nanoseconds window) {
  WATTUNE_TRY(run_.clocks.apply(configuration_));
  WATTUNE_ASSIGN(power::EnergyOptions options,
                 energy_options(run_.clocks, run_.idle_power, *run_.recorder, time, window));
  options.set_up = run_.set_up_costs.find({run_.clocks.applied(), run_.session.restored()}, window);
  if (race_) options.most_energy = race_->most_energy(time);
  KernelLoad load(run_, configuration_, kernels_, launch_);
  WATTUNE_ASSIGN(power::EnergyFigures figures, power::measure(*run_.recorder, load, options));
  note(figures, options);
  return figures;
}

void Attempt::note(const power::EnergyFigures& figures, const power::EnergyOptions& options) {
  const LeastDynamicEnergy::Setting& setting = run_.clocks.applied();
  const bool measured_set_up = figures.set_up_cost && !options.set_up;
  if (measured_set_up) run_.set_up_costs.keep({setting, run_.session.restored()}, options.window, *figures.set_up_cost);
  if (figures.disagrees() && !std::exchange(run_.told_of_disagreement, true))
    log_warning(
        "the energy counter of {} and its power sensor differ by {:.1f} %, more than the 3 % that are trusted: joules "
        "and "
        "watts may be off as far, though their bounds do not say so; `energy_disagreement` tells which configurations "
        "are concerned, and `wattune power --characterise` may mend it",
        run_.device.info().name, 100.0 * std::abs(*figures.disagreement));
  if (figures.dynamic) run_.least_dynamic.learn(setting, figures.dynamic->value);
  if (!figures.ended_after) run_.energy_takes = figures.took / (measured_set_up ? 2.0 : 1.0);
}

bool Attempt::observe_counters() {
  if (run_.options.counters.empty()) return true;
  if (!set_clocks()) return false;
  if (auto done = run_.session.prepare(launch_.arguments); !done) return fail(Phase::observe, done.error());
  Result<std::vector<Metric>> values =
      run_.session.count(kernels_, launch_, run_.options.counters, run_.limits.counting());
  if (!values) return fail(Phase::observe, values.error());
  for (Metric& metric : *values) observation_.metrics.push_back(std::move(metric));
  return true;
}

bool Attempt::ask_observers() {
  for (const std::shared_ptr<Observer>& observer : run_.options.observers) {
    if (auto begun = observer->begin(configuration_); !begun) return fail(Phase::observe, begun.error());
    SessionRunner each(run_, configuration_, kernels_, launch_, Launching::each);
    const Result<std::vector<Sample>> runs = each.run(run_.options.observed_runs);
    if (!runs) return fail(Phase::launch, runs.error());
    const Result<std::vector<Metric>> values = observer->end(*runs);
    if (!values) return fail(Phase::observe, values.error());
    observation_.metrics.insert(observation_.metrics.end(), values->begin(), values->end());
  }
  return true;
}

}  // namespace wattune::tune
