// Metrics: computes the spec's metrics from a measurement, and the value of its first objective.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/evaluate/formula.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

// The configurations against which a search may race energies. A race compares only energies.
enum class EnergyRivals {
  none,
  best,   // the best: the single objective improves with less energy and never with more time
  front,  // all that are as fast: for such an objective with a slowdown limit, or for a Pareto front of time and energy
};

class Metrics {
 public:
  // Compiles the metrics. `observed` are further metrics that an observation has. Fails with invalid_argument if a name
  // is taken, with parse_error, or with not_found for an unknown name (and the nearest one).
  static Result<Metrics> compile(const KernelSpec& spec, const std::vector<Parameter>& parameters,
                                 const std::vector<std::string>& observed);

  // Computes all metrics from the median. A metric that this configuration's values make impossible, such as a division
  // by zero, is left out, and Observation::lacking says why. An objective that needs it becomes infinite. Fails with
  // unavailable if the device does not report what the objective needs. Precondition: the observation has statistics.
  Result<void> add_to(Observation& observation, const Configuration& configuration) const;

  // Returns the value to minimise if a run takes `time`: nanoseconds unless there is another objective. `measured`
  // holds the other figures of the run. Fails as add_to() does, and if the objective has no value.
  Result<double> objective(const std::vector<Metric>& measured, Nanoseconds time,
                           const Configuration& configuration) const;
  // True if the objective depends on a measured power or energy.
  bool objective_needs_energy() const { return objective_needs_energy_; }
  // Returns the configurations against which energies may be raced. Only energy, edp, ed2p and operations_per_joule are
  // raced, if the board reports them and the spec does not define them otherwise.
  EnergyRivals energy_rivals() const { return energy_rivals_; }
  // Returns the worst objective that a correct observation may have within its uncertainty. Precondition: it has an
  // objective.
  double worst_objective(const Observation& observation) const;
  // Returns the interval in which the objective of a recorded Trial lies. Precondition: the Trial is correct.
  measure::ObjectiveInterval interval(const Trial& trial) const;

 private:
  struct Compiled {
    std::string name;
    Formula<Value> formula;
    std::string unit = {};
  };
  struct Computed {
    std::vector<Metric> known;
    std::string refusals;  // reasons why some metrics have no value, a sentence each; empty if all have one
  };
  // Returns `known` with the time, then with all metrics that can be computed from what the device reports.
  Computed compute(std::vector<Metric> known, Nanoseconds time, const Configuration& configuration) const;
  // Returns the uncertainty of a metric: the sum of the contributions of its uncertain inputs, each alone and to first
  // order. They are added, because the errors of one measurement have a common cause. Returns nullopt if no input is
  // uncertain.
  static std::optional<double> propagated(const Compiled& metric, std::vector<Metric> known,
                                          const Configuration& configuration);
  // Returns the objective as a value to minimise. Precondition: there is an objective.
  Result<Metric> objective_in(const Computed& computed) const;
  // Returns the objective of a run as a value to minimise; the time in nanoseconds if there is no other objective.
  Result<Metric> objective_metric(const std::vector<Metric>& measured, Nanoseconds time,
                                  const Configuration& configuration) const;

  std::vector<Compiled> metrics_;
  std::optional<Objective> objective_;  // the first objective, unless it is the least time
  bool objective_needs_energy_ = false;
  EnergyRivals energy_rivals_ = EnergyRivals::none;
};

}  // namespace wattune::tune
