// EvaluationContext: the state that all attempts of one run share. It cannot be moved, because its parts refer to each
// other.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "tune/energy/energy_front.h"
#include "tune/energy/energy_race.h"
#include "tune/energy/set_up_costs.h"
#include "tune/evaluate/adaptive_limits.h"
#include "tune/evaluate/by_configuration.h"
#include "tune/evaluate/expected_outputs.h"
#include "tune/evaluate/kernel_runner.h"
#include "tune/evaluate/loaded_programs.h"
#include "tune/evaluate/metrics.h"
#include "tune/evaluate/resources.h"
#include "tune/interface/argument_contents.h"
#include "tune/interface/board_clocks.h"
#include "tune/interface/idle_power.h"
#include "tune/interface/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/measure/policy.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::tune {

struct EvaluationContext {
  EvaluationContext(const KernelSpec& kernel_spec, backend::Device& run_device, measure::MeasurePolicy& run_policy,
                    EvaluatorOptions run_options)
      : spec(kernel_spec),
        source(launched_source(spec)),
        device(run_device),
        policy(run_policy),
        options(std::move(run_options)),
        check(check_for(options.check, spec)),
        reference_limit(limit_of_reference(options.limits, spec)),
        limits(options.limits),
        contents(spec.arguments, options.contents) {}
  EvaluationContext(const EvaluationContext&) = delete;
  EvaluationContext& operator=(const EvaluationContext&) = delete;

  // Returns for which configurations outputs are checked. With several objectives every configuration is checked, since
  // one may win in any of them. With a slowdown limit every one is, too, since a configuration that is slower now may
  // win later.
  static CheckOutput check_for(CheckOutput wanted, const KernelSpec& spec) {
    const bool any_may_win = spec.objectives.size() > 1 || slowdown_of(spec.objectives).has_value();
    const bool by_time = wanted == CheckOutput::contenders || wanted == CheckOutput::winners;
    return by_time && any_may_win ? CheckOutput::every : wanted;
  }

  static Nanoseconds limit_of_reference(const Limits& limits, const KernelSpec& spec) {
    constexpr double kDefaultReferenceSeconds = 600.0;
    return limits.reference.value_or(
        nanoseconds_from_seconds(spec.reference_seconds.value_or(kDefaultReferenceSeconds)));
  }

  // Returns the configurations against which energies are raced, so that clearly worse configurations need no complete
  // measurement.
  EnergyRivals energy_rivals() const {
    const bool measured = std::ranges::count(options.observe, BoardMetric::energy) > 0;
    return policy.races() && measured ? metrics.energy_rivals() : EnergyRivals::none;
  }

  // Returns the launches of a configuration, or its arguments. They fail with errors of the plan, and with those of the
  // caller's functions.
  Result<Launch> launch(const Configuration& configuration) {
    WATTUNE_ASSIGN(const Configuration values, by_configuration.complete(configuration));
    return plan.evaluate(values);
  }
  Result<std::vector<PlannedArgument>> arguments(const Configuration& configuration) {
    WATTUNE_ASSIGN(const Configuration values, by_configuration.complete(configuration));
    return plan.arguments(values);
  }

  const KernelSpec spec;
  const KernelSource source;  // the source that is compiled
  backend::Device& device;
  measure::MeasurePolicy& policy;
  const EvaluatorOptions options;  // options, as the caller gave them
  const CheckOutput check;         // the mode of checking that follows from these options and the objectives
  const Nanoseconds reference_limit;
  AdaptiveLimits limits;
  BoardClocks clocks;
  std::unique_ptr<power::Recorder> recorder;  // recorder of the device's board; nullptr unless the board is observed
  IdlePower idle_power;                       // idle power of that board
  SetUpCosts set_up_costs;
  LeastDynamicEnergy least_dynamic;
  EnergyFront energy_front{slowdown_of(spec.objectives)};
  Nanoseconds energy_takes;  // time of the last configuration's complete energy windows, without those of its set-up
  ByConfiguration by_configuration{options, spec.parameters};
  LaunchPlan plan;
  ResourceConstraints resource_constraints;
  Metrics metrics;
  ArgumentContents contents;
  KernelRunner session{spec.arguments, contents, device, options};
  LoadedPrograms programs;  // programs, kept only if configurations may share them
  ExpectedOutputs expected;
  std::optional<Observation> incumbent;  // observation of the best configuration so far
  bool spec_fits_kernel = false;         // true once a configuration was launched with the spec's arguments
  bool has_launched = false;             // true once a configuration was launched after the last reset of the device
  bool told_of_disagreement = false;     // true once a warning said that the board's sensors disagree
  std::size_t resets = 0;
};

// Forgets all objects on the device, and resets it. Fails with device_lost if the device cannot be used again.
Result<void> reset_device(EvaluationContext& run);

}  // namespace wattune::tune
