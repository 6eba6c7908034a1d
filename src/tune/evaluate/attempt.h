// Attempt: one attempt to evaluate one configuration, in phases: plan, set clocks, build, fit, inspect, check, measure.
//
// The first phase that fails ends the attempt and decides the Observation. The attempt sorts what the device reports
// into a failure of the configuration, a mistake in the spec (an Error that ends the run), and damage to the device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/energy/energy_race.h"
#include "tune/evaluate/evaluation_context.h"
#include "tune/interface/energy.h"
#include "wattune/backend/device.h"
#include "wattune/core/observation.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::tune {

class Attempt : public measure::Contestant {
 public:
  explicit Attempt(EvaluationContext& run) : run_(run) {}

  // Runs all phases. Afterwards the attempt holds no object of the device.
  void evaluate(const Configuration& configuration);

  // Runs the default configuration twice and keeps its outputs in `outputs`, as the reference for other configurations.
  // Parts that differ between the two runs are left out. Afterwards the attempt holds no object of the device.
  bool lay_down(const Configuration& standard, std::vector<ExpectedOutput>& outputs,
                std::vector<std::string>& left_out);

  // Prepares a configuration that takes turns with others, in two steps: load() runs all phases without launches, and
  // prepare() runs the further phases up to the check. Each returns whether the attempt continues. The kernel is held
  // until the Attempt ends.
  bool load(const Configuration& configuration);
  bool prepare();
  // Runs the prepared kernel and computes its objective. A failure ends the Attempt.
  Result<measure::Turn> take_turn(Nanoseconds warm_up) override;
  // Computes the statistics and the objective from the samples of all runs; returns whether the attempt succeeded.
  bool conclude(std::vector<Sample> samples);

  // Returns the observation of the configuration. The observation is valid if error() is empty, and after the attempt
  // has released all objects of the device.
  Observation& observation() { return observation_; }
  std::optional<Error>& error() { return error_; }
  // True if the device must be reset before it is used again.
  bool damaged_device() const { return damaged_device_; }
  // True if the machine's load may have caused the failure.
  bool deserves_another_try() const { return deserves_another_try_; }
  // True if the process that ran the kernel or the compiler was killed by another process.
  bool was_killed() const { return was_killed_; }

 private:
  // The phase in which something failed. `compile` means a compiler process, whose failure does no harm to the device.
  // `transfer` means moving data, whose limits do not depend on the configuration.
  enum class Phase { compile, build, prepare, launch, transfer, observe };

  static Status status_of(Phase phase);

  // The phases and their parts. Functions that return bool return whether the attempt continues.

  bool plan(const Configuration& configuration);
  bool set_clocks();
  bool look_at_board();
  bool settle_clocks();
  bool kept_clocks();
  bool build();
  bool build_from_image(const backend::ImageRequest& code);
  bool keep(Result<std::unique_ptr<backend::Program>> program, const backend::ImageRequest& code);
  bool fit();
  bool fit(const PlannedStep& step);
  bool inspect();
  bool check();
  bool checks_later() const;
  bool begins_race() const;  // True if the runs that show that the kernel works are also the first runs of its race.
  bool check_if_needed();
  std::size_t first_runs() const;
  bool launch_once();
  bool right_on_fresh_inputs();
  bool compare_outputs();
  bool please_judge();
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
  // Returns the statistics against which the policy races the configuration; nullopt for no race.
  Result<std::optional<Statistics>> rival();
  Result<std::optional<Statistics>> rival_in_energy(EnergyRivals rivals);
  // True if the configuration's time alone shows that it takes more energy than the best.
  bool is_left_out() const;
  Result<power::EnergyFigures> measure_energy(Nanoseconds time, Nanoseconds window);
  void note(const power::EnergyFigures& figures, const power::EnergyOptions& options);
  Result<double> objective_of(const measure::Turn& turn) const;
  measure::Runner& runner();
  Spin spin();
  bool is_best() const;
  bool is_contender() const;

  // Records why the attempt ends; returns false.
  bool fail(Status status, std::string message);
  bool fail(Phase phase, const Error& error);
  bool fail_for_time(Phase phase, const Error& error);
  bool fail_for_loss(Phase phase, const Error& error);
  bool fail_for_misfit(Phase phase, const Error& error);

  EvaluationContext& run_;
  Configuration configuration_;
  Launch launch_;
  std::shared_ptr<backend::Program> program_;  // the program, which is also in EvaluationContext::programs
  Kernels kernels_;
  std::unique_ptr<measure::Runner> runner_;
  Nanoseconds first_launch_overhead_;         // wall time of the first launch beyond the kernel's own, as for compiling
  std::vector<Sample> first_runs_;            // the runs that showed that the kernel works
  std::vector<Sample> turns_;                 // turns so far, for an objective that needs energy
  std::vector<power::EnergyFigures> energy_;  // energy of each turn
  std::optional<EnergyRace> race_;            // race in energy against the best configuration so far, if energy decides
  bool finalist_ = false;                     // true if the configuration runs in turns with others
  Observation observation_;
  std::optional<Error> error_;
  bool damaged_device_ = false;
  bool deserves_another_try_ = false;
  bool was_killed_ = false;
};

}  // namespace wattune::tune
