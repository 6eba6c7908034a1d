// Attempt: one try at one configuration, phase by phase: plan, set clocks, build, fit, inspect, check, measure.
//
// The first phase that fails ends it and decides the Observation. What the device says is sorted here into a failure
// of the configuration, a mistake in the spec (an Error that ends the run), and damage to the device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/energy.h"
#include "tune/energy_race.h"
#include "tune/run_state.h"
#include "wattune/backend/device.h"
#include "wattune/core/observation.h"
#include "wattune/measure/shoot_out.h"

namespace wattune::tune {

class Attempt : public measure::Contestant {
 public:
  explicit Attempt(RunState& run) : run_(run) {}

  // All phases; afterwards no object of the device is held.
  void evaluate(const Configuration& configuration);

  // Runs it twice and keeps what it leaves in `outputs`, with which others are then compared but for what differs
  // between the two runs. Afterwards no object of the device is held.
  bool lay_down(const Configuration& standard, std::vector<ExpectedOutput>& outputs,
                std::vector<std::string>& left_out);

  // For runs beside other configurations, in two steps, after each of which it may go on or not: all phases that launch
  // nothing, then those up to the check. The kernel is held until the Attempt ends.
  bool load(const Configuration& configuration);
  bool prepare();
  // Runs the prepared kernel and computes its objective. What fails ends the Attempt.
  Result<measure::Turn> take_turn(Nanoseconds warm_up) override;
  // What the runs showed; returns whether all is well.
  bool conclude(std::vector<Sample> samples);

  // Afterwards, when no object of the device is held any more: what it showed, unless error() is set, which no
  // configuration is to blame for.
  Observation& observation() { return observation_; }
  std::optional<Error>& error() { return error_; }
  // The device must be reset before it is used again.
  bool damaged_device() const { return damaged_device_; }
  // The machine's load, or somebody's hand, may have caused the failure.
  bool deserves_another_try() const { return deserves_another_try_; }
  // Somebody killed what ran, who is not this process.
  bool was_killed() const { return was_killed_; }

 private:
  // compile: in a process of its own, whose failure does no harm to the device. transfer: what moves data, with limits
  // that are no configuration's.
  enum class Phase { compile, build, prepare, launch, transfer, observe };

  static Status status_of(Phase phase);

  // Each returns whether to go on.
  bool plan(const Configuration& configuration);
  bool set_clocks();
  bool look_at_board();
  bool settle_clocks();
  bool kept_clocks();
  bool build();
  bool build_from_image(const std::vector<backend::Macro>& macros);
  bool keep(Result<std::unique_ptr<backend::Program>> program, const std::vector<backend::Macro>& macros);
  bool fit();
  bool fit(const PlannedStep& step);
  bool inspect();
  bool check();
  bool checks_later() const;
  bool begins_race() const;  // by what shows that it runs
  bool check_if_needed();
  std::size_t first_runs() const;
  bool launch_once();
  bool right_on_fresh_inputs();
  bool compare_outputs();
  bool writes_outputs();
  Result<bool> holds_what_it_began_with(std::size_t argument);
  bool read_expected(std::vector<ExpectedOutput>& outputs);
  bool leave_out_unsteady(std::vector<ExpectedOutput>& outputs, std::vector<std::string>& left_out);
  bool measure();
  bool observe();
  bool observe_energy();
  bool observe_counters();
  bool ask_observers();
  bool leave_out();
  // What the policy is to measure it against.
  Result<std::optional<Statistics>> rival();
  Result<std::optional<Statistics>> rival_in_energy(EnergyRivals rivals);
  // Its time alone says that it takes more energy than the best.
  bool is_left_out() const;
  Result<power::EnergyFigures> measure_energy(Nanoseconds time, Nanoseconds window);
  void note(const power::EnergyFigures& figures, const power::EnergyOptions& options);
  Result<double> objective_of(const measure::Turn& turn) const;
  measure::Runner& runner();
  Spin spin();
  bool is_best() const;
  bool is_contender() const;

  // Record why the attempt ends; return false.
  bool fail(Status status, std::string message);
  bool fail(Phase phase, const Error& error);
  bool fail_for_time(Phase phase, const Error& error);
  bool fail_for_loss(Phase phase, const Error& error);
  bool fail_for_misfit(Phase phase, const Error& error);

  RunState& run_;
  Configuration configuration_;
  Launch launch_;
  std::shared_ptr<backend::Program> program_;  // shared with RunState::programs
  Kernels kernels_;
  std::unique_ptr<measure::Runner> runner_;
  Nanoseconds first_launch_overhead_;         // wall time beyond what the kernel took: some drivers compile then
  std::vector<Sample> first_runs_;            // what showed that it runs
  std::vector<Sample> turns_;                 // so far, where the objective needs energy
  std::vector<power::EnergyFigures> energy_;  // of each of these
  std::optional<EnergyRace> race_;            // where joules decide, against what is known
  bool finalist_ = false;                     // runs beside others
  Observation observation_;
  std::optional<Error> error_;
  bool damaged_device_ = false;
  bool deserves_another_try_ = false;
  bool was_killed_ = false;
};

}  // namespace wattune::tune
