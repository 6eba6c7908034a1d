// Metrics: the spec's figures of a measurement, and the value that its first objective makes of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/formula.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/measure/shoot_out.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

// What a search compares energies with, where it compares nothing else.
enum class EnergyRivals {
  none,
  best,   // a single objective that less energy makes better and less time never makes worse
  front,  // whatever is as fast: such an objective under a slowdown, or a Pareto front of time and energy
};

class Metrics {
 public:
  // `observed`: the metrics that an observation has besides. invalid_argument (a name that is taken), parse_error,
  // not_found (an unknown name, with the nearest one).
  static Result<Metrics> compile(const KernelSpec& spec, const std::vector<Parameter>& parameters,
                                 const std::vector<std::string>& observed);

  // Computes all of them from the median. A metric that this configuration's values make impossible, such as a division
  // by zero, is left out and `lacking` says why; an objective that needs it is infinite. unavailable: the device does
  // not tell what the objective needs. Precondition: the observation has statistics.
  Result<void> add_to(Observation& observation, const Configuration& configuration) const;

  // What is minimised if a run takes `time`: nanoseconds unless there is another objective. `measured` are the figures
  // beside the time. Errors as add_to().
  Result<double> objective(const std::vector<Metric>& measured, Nanoseconds time,
                           const Configuration& configuration) const;
  // Whether the objective changes with what a power or energy measurement shows.
  bool objective_needs_energy() const { return objective_needs_energy_; }
  // Objectives that race are energy, edp, ed2p, operations_per_joule, as the board tells and nobody has defined
  // otherwise.
  EnergyRivals energy_rivals() const { return energy_rivals_; }
  // The objective of a correct observation, as bad as its uncertainty allows. Precondition: there is one.
  double worst_objective(const Observation& observation) const;
  // Where the objective of a recorded Trial lies. Precondition: it is correct.
  measure::ObjectiveInterval interval(const Trial& trial) const;

 private:
  struct Compiled {
    std::string name;
    Formula<Value> formula;
    std::string unit = {};
  };
  struct Computed {
    std::vector<Metric> known;
    std::string refusals;  // why some have no value, a sentence for each; empty: all that can be read have one
  };
  // `known` with the time, then with all metrics that the device tells enough for.
  Computed compute(std::vector<Metric> known, Nanoseconds time, const Configuration& configuration) const;
  // What the uncertainties of what it reads come to, each alone and to first order. They add up, because those of one
  // measurement go together. None: it reads nothing uncertain.
  static std::optional<double> propagated(const Compiled& metric, std::vector<Metric> known,
                                          const Configuration& configuration);
  // As a value to be small. Precondition: there is an objective.
  Result<Metric> objective_in(const Computed& computed) const;
  // The same of a run; without another objective the time in nanoseconds.
  Result<Metric> objective_metric(const std::vector<Metric>& measured, Nanoseconds time,
                                  const Configuration& configuration) const;

  std::vector<Compiled> metrics_;
  std::optional<Objective> objective_;  // the first, unless it is the least time
  bool objective_needs_energy_ = false;
  EnergyRivals energy_rivals_ = EnergyRivals::none;
};

}  // namespace wattune::tune
