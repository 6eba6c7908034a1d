// CompanyEvaluator: turns a configuration of all members of a company into an Observation, so that whatever searches
// the configurations of one kernel searches those of several.
//
// Each member's own configuration is checked and timed alone once, by an evaluator of its own in a worker process,
// before it takes part: a kernel that fails alone is named and takes nobody with it. All times alone are at the clocks
// of the default configuration, so that they compare. What runs together runs in this process. The space and the device
// outlive it; one thread at a time.
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

#include "schedule/company_stage.h"
#include "tune/board_clocks.h"
#include "tune/idle_power.h"
#include "wattune/measure/policy.h"
#include "wattune/power/recorder.h"
#include "wattune/tune/evaluator.h"

namespace wattune::schedule {

// Who checks and times the configurations of one member alone.
class Soloist {
 public:
  // What the evaluator works with, in the order in which it is made.
  struct Parts {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<measure::MeasurePolicy> policy;
    std::unique_ptr<tune::Evaluator> evaluator;
  };
  explicit Soloist(Parts parts) : parts_(std::move(parts)) {}

  // Anew each time; the last one counts.
  Result<const Observation*> evaluate(const Configuration& own);
  // As an earlier run found it: correct, with this time.
  void know(ConfigurationId own, Nanoseconds time, bool verified);
  // The fastest of those that are right; none: none is.
  std::optional<ConfigurationId> best() const;
  // What compiling and timing took so far.
  Nanoseconds compile_time() const { return compile_time_; }
  Nanoseconds measure_time() const { return measure_time_; }
  // What it showed alone; nullptr: nobody has seen it.
  const Observation* find(ConfigurationId own) const;
  tune::Verification verification() const { return parts_.evaluator->verification(); }

 private:
  Parts parts_;
  std::map<ConfigurationId, Observation> known_;
  Nanoseconds compile_time_;
  Nanoseconds measure_time_;
};

// How configurations are measured.
struct CompanySetUp {
  CompanyPlan plan;
  CompanyLimits limits;
  std::unique_ptr<measure::MeasurePolicy> policy;
  tune::BoardClocks clocks;
  std::unique_ptr<power::Recorder> recorder = {};  // where energy is the objective
  Nanoseconds energy_window = power::kScreening;
};

class CompanyEvaluator : public tune::Evaluator {
 public:
  CompanyEvaluator(const CompanySpace& space, backend::Device& device, std::vector<Soloist> soloists,
                   CompanySetUp set_up);

  Result<Observation> evaluate(const Configuration& all) override;
  // Races are decided by time, of which joules say little.
  void know_best(const Observation& best) override;
  bool holds_contests() const override { return true; }
  Result<tune::Contest> hold_contest(const std::vector<Configuration>& configurations,
                                     const measure::ShootOutOptions& options) override;
  std::string device() const override { return device_.info().selector; }
  // Where joules are the objective, their windows.
  Nanoseconds turn_overhead() const override;

  const std::vector<Soloist>& soloists() const { return soloists_; }
  void know_alone(std::size_t member, ConfigurationId own, Nanoseconds time, bool verified) {
    soloists_[member].know(own, time, verified);
  }
  // What this configuration of a member shows alone, which is measured once.
  Result<const Observation*> alone(std::size_t member, const Configuration& own);
  // How often each member is launched in one run from then on.
  void relaunch(std::vector<std::size_t> repetitions) { set_up_.plan.repetitions = std::move(repetitions); }

 private:
  // Ready to run, with what that took; or why not.
  struct Ready {
    std::unique_ptr<CompanyRunner> runner = {};
    Observation observation = {};
  };
  class Turns;

  // What compiling and timing took so far of making configurations ready.
  PhaseTimes spent_on_kernels() const;
  Result<std::optional<Observation>> check_alone(const Configuration& all);
  Result<Ready> prepare(const Configuration& all);
  Result<Ready> stand_ready(const Configuration& all);
  Result<void> set_clocks(const Configuration& all, const tune::Spin& spin);
  Result<void> measure(const Configuration& all, CompanyRunner& runner, Observation& observation);
  Result<void> add_energy(const Configuration& all, CompanyRunner& runner, Observation& observation);
  // These are of configurations that were checked alone.
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
  Nanoseconds energy_takes_;        // what was measured last
  std::optional<Statistics> best_;  // where the time is the objective
};

}  // namespace wattune::schedule
