// CompanyEvaluator: turns a joint configuration of a company into an Observation, so that any search that tunes one
// kernel can tune several together.
//
// An evaluator in a worker process checks and times each member's own configuration alone, once, before it runs
// together with others. A kernel that fails alone is named and does not fail the others. All kernels are timed alone at
// the clocks of the default configuration, so that these times compare. Kernels run together in this process. The space
// and the device outlive the evaluator. One thread at a time uses it.
//
//   CompanyEvaluator evaluator(space, *device, std::move(soloists), std::move(setup));
//   WATTUNE_ASSIGN(const Observation observation, evaluator.evaluate(configuration));
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "company/company_stage.h"
#include "tune/interface/board_clocks.h"
#include "tune/interface/idle_power.h"
#include "wattune/measure/policy.h"
#include "wattune/power/recorder.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::company {

// Checks and times the configurations of one member alone.
class Soloist {
 public:
  // The evaluator and its devices, in the order in which they are made.
  struct Parts {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<measure::MeasurePolicy> policy;
    std::unique_ptr<tune::Evaluator> evaluator;
  };
  explicit Soloist(Parts parts) : parts_(std::move(parts)) {}

  // Evaluates the configuration alone, even if its result is known; the last result counts.
  Result<const Observation*> evaluate(const Configuration& own);
  // Stores the result of an earlier run: the configuration is correct and takes this time.
  void know(ConfigurationId own, Nanoseconds time, bool verified);
  // Returns the fastest correct configuration; nullopt if there is none.
  std::optional<ConfigurationId> best() const;
  // Returns the time spent on compiling so far; measure_time() returns the time spent on timing.
  Nanoseconds compile_time() const { return compile_time_; }
  Nanoseconds measure_time() const { return measure_time_; }
  // Returns the result of the configuration alone; nullptr if it is not known.
  const Observation* find(ConfigurationId own) const;
  tune::Verification verification() const { return parts_.evaluator->verification(); }

 private:
  Parts parts_;
  std::map<ConfigurationId, Observation> known_;
  Nanoseconds compile_time_;
  Nanoseconds measure_time_;
};

// The way in which configurations are measured.
struct CompanySetUp {
  CompanyPlan plan;
  tune::EvaluatorOptions evaluation;
  std::unique_ptr<measure::MeasurePolicy> policy;
  tune::BoardClocks clocks;
  std::unique_ptr<power::Recorder> recorder = {};  // recorder of the board's energy; nullptr for other objectives
};

class CompanyEvaluator : public tune::Evaluator {
 public:
  CompanyEvaluator(const CompanySpace& space, backend::Device& device, std::vector<Soloist> soloists,
                   CompanySetUp set_up);

  Result<Observation> evaluate(const Configuration& all) override;
  // Keeps the best time for later races. Does nothing if energy is the objective, because races are decided by time.
  void know_best(const Observation& best) override;
  bool holds_contests() const override { return true; }
  Result<tune::Contest> hold_contest(const std::vector<Configuration>& configurations,
                                     const measure::ShootOutOptions& options) override;
  std::string device() const override { return device_.info().selector; }
  // Returns how much longer a turn takes than its runs: by the energy window, if energy is the objective.
  Nanoseconds turn_overhead() const override;

  const std::vector<Soloist>& soloists() const { return soloists_; }
  void know_alone(std::size_t member, ConfigurationId own, Nanoseconds time, bool verified) {
    soloists_[member].know(own, time, verified);
  }
  // Returns the result of this configuration of a member alone, which is measured once.
  Result<const Observation*> alone(std::size_t member, const Configuration& own);
  // Sets how often each member is launched in one run from now on.
  void relaunch(std::vector<std::size_t> repetitions) { set_up_.plan.repetitions = std::move(repetitions); }

 private:
  // A configuration that is ready to run, with the time that preparing it took; or its failure, without a runner.
  struct Ready {
    std::unique_ptr<CompanyRunner> runner = {};
    Observation observation = {};
  };
  class Turns;

  // Returns the time spent so far on compiling and timing while configurations were made ready.
  PhaseTimes spent_on_kernels() const;
  Result<std::optional<Observation>> check_alone(const Configuration& all);
  Result<Ready> prepare(const Configuration& all);
  Result<Ready> stand_ready(const Configuration& all);
  Result<void> set_clocks(const Configuration& all, const tune::Spin& spin);
  Result<void> measure(const Configuration& all, CompanyRunner& runner, Observation& observation);
  Result<void> add_energy(const Configuration& all, CompanyRunner& runner, Observation& observation);
  // The next functions are for joint configurations whose members were all checked alone.

  std::vector<Nanoseconds> times_alone(const Configuration& all) const;
  void add_own_times(const Configuration& all, std::span<const OwnTimes> runs, Observation& observation) const;
  Observation of_turns(const Configuration& all, const std::vector<measure::Turn>& turns,
                       std::span<const OwnTimes> own_times) const;
  Result<power::EnergyFigures> energy_of(const Configuration& all, CompanyRunner& runner, Nanoseconds time);
  Result<tune::Contest> contest_of(const std::vector<Configuration>& configurations,
                                   const measure::ShootOutOptions& options, std::vector<std::size_t>& standing);

  const CompanySpace& space_;
  backend::Device& device_;
  std::vector<Soloist> soloists_;
  CompanySetUp set_up_;
  CompanyStage stage_;
  tune::IdlePower idle_power_;
  Nanoseconds energy_takes_;        // time that the latest energy measurement took
  std::optional<Statistics> best_;  // best time, if time is the objective
};

}  // namespace wattune::company
