#include "tune/contest.h"

#include <deque>

#include "tune/attempt.h"

namespace wattune::tune {

namespace {

std::optional<std::size_t> prepare(std::deque<Attempt>& attempts, RunState& run,
                                   const std::vector<Configuration>& contestants) {
  for (const Configuration& configuration : contestants) {
    attempts.emplace_back(run);
    if (!attempts.back().prepare(configuration)) return attempts.size() - 1;
  }
  return std::nullopt;
}

std::optional<std::size_t> compete(std::deque<Attempt>& attempts, const measure::ShootOutOptions& options) {
  std::vector<measure::Runner*> runners;
  for (Attempt& attempt : attempts) runners.push_back(&attempt.runner());
  std::size_t failed = 0;
  Result<measure::RoundSamples> samples = measure::run_shoot_out(runners, options, failed);
  if (!samples) {
    attempts[failed].conclude(samples.error());
    return failed;
  }
  for (std::size_t i = 0; i < attempts.size(); ++i) attempts[i].conclude(std::move((*samples)[i]));
  return std::nullopt;
}

}  // namespace

ContestOutcome run_contest(RunState& run, const std::vector<Configuration>& contestants,
                           const measure::ShootOutOptions& options) {
  std::deque<Attempt> attempts;
  ContestOutcome outcome;
  outcome.failed = prepare(attempts, run, contestants);
  if (!outcome.failed) outcome.failed = compete(attempts, options);
  if (outcome.failed) {
    Attempt& failed = attempts[*outcome.failed];
    outcome.error = std::move(failed.error());
    outcome.damaged_device = failed.damaged_device();
    outcome.killed_from_outside = failed.killed_from_outside();
  }
  outcome.observations.resize(contestants.size());
  for (std::size_t i = 0; i < attempts.size(); ++i) outcome.observations[i] = std::move(attempts[i].observation());
  return outcome;
}

}  // namespace wattune::tune
