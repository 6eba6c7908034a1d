#include "tune/loop/contest.h"

#include <deque>

#include "tune/evaluate/attempt.h"

namespace wattune::inline v0_1::tune {

namespace {

// Prepares the contestants. Returns the position of the first one that fails. Ends early if the run is cancelled. All
// contestants are built before one of them runs, because on a CPU a run may harm the process in which the others are
// built.
std::optional<std::size_t> prepare_contestants(std::deque<Attempt>& attempts, EvaluationContext& run,
                                               const std::vector<Configuration>& contestants,
                                               const measure::ShootOutOptions& options) {
  for (const Configuration& configuration : contestants) {
    if (options.cancelled() || options.is_over()) return std::nullopt;
    attempts.emplace_back(run);
    if (!attempts.back().load(configuration)) return attempts.size() - 1;
  }
  for (std::size_t i = 0; i < attempts.size() && !options.cancelled() && !options.is_over(); ++i)
    if (!attempts[i].prepare()) return i;
  return std::nullopt;
}

// Runs the turns. Returns the position of the first contestant that fails. Fills `rounds`, or leaves it empty if the
// run is cancelled.
std::optional<std::size_t> compete(std::deque<Attempt>& attempts, const measure::ShootOutOptions& options,
                                   measure::Rounds& rounds) {
  std::vector<measure::Contestant*> contestants;
  for (Attempt& attempt : attempts) contestants.push_back(&attempt);
  std::size_t failed = 0;
  auto run = measure::run_shoot_out(contestants, options, failed);
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

ContestAttempt try_contest(EvaluationContext& run, const std::vector<Configuration>& contestants,
                           const measure::ShootOutOptions& options) {
  std::deque<Attempt> attempts;
  ContestAttempt attempt;
  attempt.failed = prepare_contestants(attempts, run, contestants, options);
  if (!attempt.failed && !options.cancelled() && !options.is_over())
    attempt.failed = compete(attempts, options, attempt.contest.rounds);
  if (attempt.failed) {
    Attempt& failed = attempts[*attempt.failed];
    attempt.error = std::move(failed.error());
    attempt.damaged_device = failed.damaged_device();
    attempt.deserves_another_try = failed.deserves_another_try();
    attempt.was_killed = failed.was_killed();
  }
  attempt.cancelled = !attempt.failed && attempt.contest.rounds.empty();
  attempt.contest.rounds.resize(contestants.size());
  attempt.contest.observations.resize(contestants.size());
  for (std::size_t i = 0; i < attempts.size(); ++i)
    attempt.contest.observations[i] = std::move(attempts[i].observation());
  return attempt;
}

}  // namespace wattune::tune
