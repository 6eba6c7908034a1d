// The shoot-out: runs the best configurations in turns, so that disturbances of the device affect all of them alike.
// One thread runs it; the caller owns the contestants. The final of a run is a shoot-out.
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
  std::size_t finalists = 8;  // most finalists; with 0 there is no shoot-out
  std::size_t block = 12;     // rounds between two looks at the result; each contestant runs once in a round
  std::size_t max_blocks = 5;
  Nanoseconds max_time = nanoseconds_from_seconds(10);  // device time after which no further block begins
  Nanoseconds warm_up = nanoseconds_from_ms(20);        // run time before a round after an idle gap
  const std::atomic<bool>* cancel = nullptr;  // any thread may set it; the shoot-out ends after the turn in flight

  // Function that is asked before each turn. If it returns true, the shoot-out ends with its complete blocks; without
  // one, it counts as cancelled.
  std::function<bool()> over = {};

  bool cancelled() const { return cancel != nullptr && cancel->load(); }
  bool is_over() const { return over && over(); }
};

// The objective of a configuration and its interval, as far as its samples tell. Smaller is better.
struct ObjectiveInterval {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// Returns the positions of the configurations whose interval reaches that of the lowest value. They are sorted by
// value, so that the lowest comes first; there are at most `most`.
std::vector<std::size_t> choose_finalists(std::span<const ObjectiveInterval> configurations, std::size_t most);

struct Turn {
  Sample sample;
  double objective = 0.0;  // value that is compared, smaller is better; nanoseconds unless time is not the objective
  Nanoseconds spent;       // device time
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  // Warms the device up until it has been at work for `warm_up` since it last idled, then runs once. Fails as a runner
  // does.
  virtual Result<Turn> take_turn(Nanoseconds warm_up) = 0;
};

// A contestant that is compared by the time of a run. The runner outlives it.
class TimedContestant : public Contestant {
 public:
  explicit TimedContestant(Runner& runner) : runner_(runner) {}
  Result<Turn> take_turn(Nanoseconds warm_up) override;

 private:
  Runner& runner_;
};

// Turns of each contestant; turn r belongs to round r. A contestant that dropped out has fewer. Empty if the shoot-out
// was cancelled.
using Rounds = std::vector<std::vector<Turn>>;

// Runs blocks of rounds until one contestant is left, all blocks are run, or the time is spent. A contestant that is
// worse than the winner after a block drops out. The order rotates by one place each round. Fails as a contestant does;
// `failed` is then its position.
Result<Rounds> run_shoot_out(std::span<Contestant* const> contestants, const ShootOutOptions& options,
                             std::size_t& failed);

struct Verdict {
  std::size_t winner = 0;
  std::vector<std::size_t> ties;  // contestants that cannot be told from the winner, without the winner
};

// Returns the winner of the rounds. It has the lowest median, unless another is better than it round by round. With a
// `standard`, the winner must also be better than the standard round by round; if none is, the standard wins.
//
// A contestant is worse than another if the interval of the median difference of their objectives, round by round, lies
// above 0 (a sign test). `looks` is the largest number of times that the rounds are judged. Intervals are widened so
// that all of them hold together with 95 % (Bonferroni), over all looks and contestants. A contestant with fewer turns
// than others dropped out and was beaten. Precondition: each has at least one turn.
Verdict judge(std::span<const std::vector<Turn>> contestants, std::optional<std::size_t> standard = {},
              std::size_t looks = 1);

// Returns the gain of one contestant over another, over the rounds that both ran. nullopt if signs make a ratio
// meaningless, or if there is no round.
std::optional<PairedGain> paired_gain(std::span<const Turn> of, std::span<const Turn> over);

}  // namespace wattune::measure
