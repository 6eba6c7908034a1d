#include "tune/contest.h"

#include <deque>

#include "tune/attempt.h"

namespace wattune::tune {

namespace {

// Ends early when cancelled.
std::optional<std::size_t> prepare(std::deque<Attempt>& attempts, RunState& run,
                                   const std::vector<Configuration>& contestants,
                                   const measure::ShootOutOptions& options) {
  for (const Configuration& configuration : contestants) {
    if (options.cancelled()) break;
    attempts.emplace_back(run);
    if (!attempts.back().prepare(configuration)) return attempts.size() - 1;
  }
  return std::nullopt;
}

// Fills `rounds`; leaves it empty when cancelled.
std::optional<std::size_t> compete(std::deque<Attempt>& attempts, std::size_t candidates,
                                   const measure::ShootOutOptions& options, measure::Rounds& rounds) {
  std::vector<measure::Contestant*> contestants;
  for (Attempt& attempt : attempts) contestants.push_back(&attempt);
  std::size_t failed = 0;
  auto run = measure::run_shoot_out(contestants, candidates, options, failed);
  if (!run) return failed;
  rounds = *std::move(run);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    std::vector<Sample> samples;
    for (const measure::Turn& turn : rounds[i]) samples.push_back(turn.sample);
    if (!attempts[i].conclude(std::move(samples))) return i;
  }
  return std::nullopt;
}

}  // namespace

ContestOutcome run_contest(RunState& run, const std::vector<Configuration>& contestants, std::size_t candidates,
                           const measure::ShootOutOptions& options) {
  std::deque<Attempt> attempts;
  ContestOutcome outcome;
  outcome.failed = prepare(attempts, run, contestants, options);
  if (!outcome.failed && attempts.size() == contestants.size())
    outcome.failed = compete(attempts, candidates, options, outcome.comparison.rounds);
  if (outcome.failed) {
    Attempt& failed = attempts[*outcome.failed];
    outcome.error = std::move(failed.error());
    outcome.damaged_device = failed.damaged_device();
    outcome.deserves_another_try = failed.deserves_another_try();
  }
  outcome.cancelled = !outcome.failed && outcome.comparison.rounds.empty();
  outcome.comparison.rounds.resize(contestants.size());
  outcome.comparison.observations.resize(contestants.size());
  for (std::size_t i = 0; i < attempts.size(); ++i)
    outcome.comparison.observations[i] = std::move(attempts[i].observation());
  return outcome;
}

}  // namespace wattune::tune
