#include "tune/loop/tally.h"

#include <algorithm>

#include "core/interface/energy.h"

namespace wattune::inline v0_1::tune {

Tally::Tally(const std::vector<std::string>& devices, Uint128 space_size, ConfigurationId default_id,
             std::optional<double> slowdown)
    : contenders(slowdown), default_id_(default_id) {
  progress.space_size = space_size;
  for (const std::string& device : devices) result.devices.push_back({.device = device});
}

bool Tally::add(const Trial& trial, bool resumed) {
  ++result.by_status[trial.observation.status];
  if (is_default(trial)) result.baseline = trial;
  const bool skipped = trial.observation.status == Status::constraints;
  progress.skipped_in_a_row = skipped ? progress.skipped_in_a_row + 1 : 0;
  if (resumed) ++result.resumed;
  if (skipped) {
    ++progress.skipped;
    if (!resumed) ++result.skipped;
    return false;
  }
  if (!resumed) ++result.evaluated;
  ++progress.evaluations;
  ++progress.since_improvement;
  if (!trial.observation.ok()) return false;
  if (was_left_out(trial.observation)) ++result.left_out;
  count_samples(trial.observation);
  if (const std::string& why = trial.observation.lacking; !why.empty()) {
    if (result.lacking == 0) result.why_lacking = why;
    ++result.lacking;
  }
  if (!trial.observation.has_objective()) return false;
  contenders.add(trial, resumed);
  take_best();
  return result.best->configuration.id() == trial.configuration.id();
}

// Takes the best contender as the best Trial. The new best may be worse than the one before, because that one may have
// become too slow under a slowdown limit.
void Tally::take_best() {
  const Trial* const best = contenders.best();
  if (result.best && result.best->configuration.id() == best->configuration.id()) return;
  // The best objective is that which the search measured. The objective of an earlier final could not be compared with
  // the measurements of this run.
  progress.best_objective = best->observation.search_figures().objective;
  progress.since_improvement = 0;
  result.best = *best;
}

void Tally::add_of_final(const Trial& trial) {
  if (is_default(trial)) result.baseline = trial;
  switch (trial.observation.final_place) {
    case FinalPlace::winner: result.best = trial; break;
    case FinalPlace::tied: result.ties.push_back(trial); break;
    default: break;
  }
  if (trial.observation.ok()) return count_samples(trial.observation);
  --result.by_status[Status::correct];
  ++result.by_status[trial.observation.status];
  contenders.remove(trial.configuration.id());
}

void Tally::note(std::size_t device, const Pipeline& pipeline) {
  if (!result.pipeline) result.pipeline.emplace().devices_busy.resize(result.devices.size());
  result.pipeline->devices_busy[device] = pipeline.devices_busy.front();
  result.pipeline->compiling = pipeline.compiling;
}

void Tally::count_samples(const Observation& observation) {
  result.samples += observation.samples.size();
  result.throttled_samples +=
      static_cast<std::uint64_t>(std::ranges::count(observation.samples, true, &Sample::throttled));
}

}  // namespace wattune::tune
