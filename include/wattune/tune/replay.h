// Replay: recorded Trials in the place of a device.
//
// An evaluator over a Recording answers with what was recorded, and its clock advances by what that cost then, so that
// a search of an hour takes a second and every rule about time means recorded time. What the data lack is
// Status::not_recorded: strategies see a failure, reports count it by its own name.
//
//   WATTUNE_ASSIGN(ResultSet results, store::load_results("convolution.json.xz"));
//   WATTUNE_ASSIGN(auto space, recorded_space(results));
//   WATTUNE_ASSIGN(auto recording, Recording::match(space, std::move(results)));
//   auto evaluator = make_replay_evaluator(recording, ReplayClock::recorded);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

// The space of exactly the configurations that `results` hold, for want of its constraints. mismatch: a value that
// its parameter does not list; invalid_argument: no results, or as SearchSpace::from_list().
Result<space::SearchSpace> recorded_space(const ResultSet& results);

// The id in `space` of each Trial's configuration, found by names and values; none for one that is not in it. A
// parameter with a single value may be absent on either side. mismatch: other parameters; invalid_argument: no Trials,
// or a time that is negative or no number.
Result<std::vector<std::optional<ConfigurationId>>> ids_in(const space::SearchSpace& space,
                                                           const std::vector<Trial>& trials);

// Recorded Trials by the ids of a space. Immutable; may be shared between threads.
class Recording {
 public:
  // Finds the configurations of those Trials that count in `space`; their energy and power are named as by
  // name_energy(). As ids_in(); mismatch also: no Trial is in the space.
  static Result<Recording> match(const space::SearchSpace& space, ResultSet results);

  // The same Trials with the metrics and the first objective of `spec` in the place of those that were recorded. One
  // for which a metric cannot be computed is Status::constraints, as on a device. Errors of the metrics themselves:
  // invalid_argument, parse_error, not_found; unavailable: nothing recorded has what the objective needs.
  Result<Recording> with_objectives(const KernelSpec& spec) const;

  const RunInfo& info() const { return info_; }
  // Every recorded configuration of the space once, ascending by id.
  const std::vector<Trial>& trials() const { return trials_; }
  // What was recorded of a configuration, which the Recording owns; nullptr when nothing was.
  const Observation* find(ConfigurationId id) const;
  // Trials of the results whose configuration is not in the space.
  std::size_t outside() const { return outside_; }
  // The median cost of an evaluation: what a configuration that is not recorded is charged, so that time goes on.
  Nanoseconds typical_cost() const { return typical_cost_; }

 private:
  Recording(RunInfo info, std::vector<Trial> trials, std::size_t outside);

  RunInfo info_;
  std::vector<Trial> trials_;
  std::size_t outside_ = 0;
  Nanoseconds typical_cost_;
};

enum class ReplayClock {
  recorded,             // what each evaluation cost when it was recorded: cost_of()
  recorded_and_search,  // and the processor time that this thread spends between evaluations: the strategy's
  evaluations,          // a second for each
};

// The metrics that some recorded Trial has beside the time, by name.
std::vector<std::string> recorded_metrics(const std::vector<Trial>& trials);

// `recording` outlives the evaluator, which never fails. Evaluators may share one.
std::unique_ptr<Evaluator> make_replay_evaluator(const Recording& recording, ReplayClock clock);

// What its correct Trials say to a search of another device or problem size (search::StrategyOptions::prior).
std::vector<search::PriorObjective> prior_of(const Recording& recording);

// The recorded device as a replay names it: kind simulated, its name kept, `selector` for the user.
DeviceInfo replay_device(const DeviceInfo& recorded, std::string selector);

}  // namespace wattune::tune
