// The shoot-out: the best configurations run in turns, so that what the device does meanwhile happens to all of them.
// One thread runs it; contestants belong to the caller. The final of a run is one.
//
//   WATTUNE_ASSIGN(Rounds rounds, run_shoot_out(contestants, {}, failed));
//   Verdict verdict = judge(rounds, standard);
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "wattune/measure/policy.h"

namespace wattune::measure {

struct ShootOutOptions {
  std::size_t finalists = 8;  // at most; 0: no shoot-out
  std::size_t block = 12;     // rounds between two looks at the result; each contestant runs once in a round
  std::size_t max_blocks = 5;
  Nanoseconds max_time = nanoseconds_from_seconds(10);  // device time after which no further block begins
  Nanoseconds warm_up = nanoseconds_from_ms(20);        // to run before a round after an idle gap
  const std::atomic<bool>* cancel = nullptr;            // set from any thread to end after the turn in flight

  // Asked before each turn: true ends it, with the blocks that are complete, and without one as if it were cancelled.
  std::function<bool()> over = {};

  bool cancelled() const { return cancel != nullptr && cancel->load(); }
  bool is_over() const { return over && over(); }
};

// Where the objective of a configuration lies, as far as its samples say; the smaller the better.
struct ObjectiveInterval {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// Positions of the configurations whose interval reaches that of the lowest value, which comes first; at most `most`,
// by value.
std::vector<std::size_t> choose_finalists(std::span<const ObjectiveInterval> configurations, std::size_t most);

struct Turn {
  Sample sample;
  double objective = 0.0;  // what is compared, the smaller the better: nanoseconds, unless time is not the objective
  Nanoseconds spent;       // device time
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  // Runs, after it warmed the device up to so much time at work since it last idled. Fails as a runner does.
  virtual Result<Turn> take_turn(Nanoseconds warm_up) = 0;
};

// Compared by the time of a run. The runner outlives it.
class TimedContestant : public Contestant {
 public:
  explicit TimedContestant(Runner& runner) : runner_(runner) {}
  Result<Turn> take_turn(Nanoseconds warm_up) override;

 private:
  Runner& runner_;
};

// Turns of each contestant, turn r of each from round r; who dropped out has fewer. Empty: the shoot-out was cancelled.
using Rounds = std::vector<std::vector<Turn>>;

// Runs blocks of rounds until one is left, or all blocks are run or the time is spent. Who is worse than the winner
// after a block drops out. The order rotates by one place each round. Fails as a contestant does; `failed` is which.
Result<Rounds> run_shoot_out(std::span<Contestant* const> contestants, const ShootOutOptions& options,
                             std::size_t& failed);

struct Verdict {
  std::size_t winner = 0;
  std::vector<std::size_t> ties;  // who cannot be told from it, without the winner
};

// The winner has the lowest median, unless another is better than it round by round. With a `standard`, who wins must
// also be better than that one round by round; where nobody is, it wins itself.
//
// One contestant is worse than another when the interval of the median of the differences of their objectives, round by
// round, lies above 0: a sign test. `looks` is how often the rounds are judged at most; the intervals are wide enough
// for all of them and all contestants together to hold with 95 % (Bonferroni). Who has fewer turns than others dropped
// out and was beaten. Precondition: at least one turn of each.
Verdict judge(std::span<const std::vector<Turn>> contestants, std::optional<std::size_t> standard = {},
              std::size_t looks = 1);

// Of one contestant over another, over the rounds that both ran. None where signs give a ratio no sense, or without a
// round.
std::optional<PairedGain> paired_gain(std::span<const Turn> of, std::span<const Turn> over);

}  // namespace wattune::measure
