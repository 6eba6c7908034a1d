// Replay: recorded Trials in the place of a device.
//
// An evaluator over a Recording answers with what was recorded, and its clock advances by the recorded cost. So a
// search of an hour takes a second, and every rule about time means recorded time. A configuration that was not
// recorded gets Status::not_recorded. Strategies see it as a failure, and reports count it under that name.
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

#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

// Returns a space of exactly the configurations in `results`. Results do not record the constraints of the space. Fails
// with mismatch if a value is not in its parameter's list, with invalid_argument if there are no results, otherwise as
// SearchSpace::from_list().
WATTUNE_EXPORT Result<space::SearchSpace> recorded_space(const ResultSet& results);

// Returns the id in `space` of each Trial's configuration, found by names and values; nullopt for a configuration that
// is not in the space. A parameter with a single value may be absent on either side. Fails with mismatch if the
// parameters differ, with invalid_argument if there are no Trials, or if a time is negative or no number.
WATTUNE_EXPORT Result<std::vector<std::optional<ConfigurationId>>> ids_in(const space::SearchSpace& space,
                                                                          const std::vector<Trial>& trials);

// Recorded Trials by the ids of a space. Immutable; threads may share one.
class WATTUNE_EXPORT Recording {
 public:
  // Matches those Trials that count with the configurations of `space`; their energy and power get the names that
  // name_energy() gives. Energies and powers that are not above 0 are left out. Fails as ids_in(), and with mismatch if
  // no Trial is in the space.
  static Result<Recording> match(const space::SearchSpace& space, ResultSet results);

  // Returns the same Trials with metrics and first objective of `spec` instead of the recorded ones. A Trial that lacks
  // what the objective reads gets Status::constraints, as on a device.
  // Fails with invalid_argument, parse_error or not_found for mistakes in the metrics, with unavailable if no recorded
  // Trial has what the objective needs.
  Result<Recording> with_objectives(const KernelSpec& spec) const;

  const RunInfo& info() const { return info_; }
  // Returns every recorded configuration of the space once, ascending by id.
  const std::vector<Trial>& trials() const { return trials_; }
  // Returns what was recorded of a configuration, which the Recording owns; nullptr if nothing was.
  const Observation* find(ConfigurationId id) const;
  // Returns how many Trials of the results have a configuration outside the space.
  std::size_t outside() const { return outside_; }
  // Returns how many Trials of the results had an energy or a power that is not above 0, which is left out.
  std::size_t impossible() const { return impossible_; }
  // Returns the median cost of an evaluation. A configuration that was not recorded is charged this cost, so that time
  // passes.
  Nanoseconds typical_cost() const { return typical_cost_; }

 private:
  Recording(RunInfo info, std::vector<Trial> trials, std::size_t outside, std::size_t impossible);

  RunInfo info_;
  std::vector<Trial> trials_;
  std::size_t outside_ = 0;
  std::size_t impossible_ = 0;
  Nanoseconds typical_cost_;
};

enum class ReplayClock {
  recorded,             // the recorded cost of each evaluation: cost_of()
  recorded_and_search,  // the recorded cost, and the processor time that the strategy takes on this thread
  evaluations,          // one second for each evaluation
};

// Returns the metrics, beside the time, that some recorded Trial has, sorted by name.
WATTUNE_EXPORT std::vector<std::string> recorded_metrics(const std::vector<Trial>& trials);

// Makes an evaluator that answers from `recording`. The recording must outlive the evaluator. The evaluator never
// fails. Evaluators may share a recording.
WATTUNE_EXPORT std::unique_ptr<Evaluator> make_replay_evaluator(const Recording& recording, ReplayClock clock);

// Returns the objectives and metrics of the correct Trials, as a prior for a search on another device or problem size
// (search::StrategyOptions::prior).
WATTUNE_EXPORT std::vector<search::PriorObjective> prior_of(const Recording& recording);

// Describes the recorded device for a replay: its kind is simulated, its name is kept, and its selector is `selector`.
WATTUNE_EXPORT DeviceInfo replay_device(const DeviceInfo& recorded, std::string selector);

}  // namespace wattune::tune
