// The shoot-out: the best configurations run in turns, so that what the device does meanwhile happens to all of them.
//
//   WATTUNE_ASSIGN(auto samples, run_shoot_out(runners, {}, failed));
//   Verdict verdict = judge(samples);
#pragma once

#include <cstddef>
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
};

// Positions of the configurations whose interval reaches that of the lowest median, which comes first; at most `most`,
// by median.
std::vector<std::size_t> choose_finalists(std::span<const Statistics> configurations, std::size_t most);

// Samples of each contestant, sample r of each from round r; all have equally many.
using RoundSamples = std::vector<std::vector<Sample>>;

// Runs blocks of rounds until all but one contestant are excluded, or all blocks are run or the time is spent. The
// order rotates by one place each round. Fails as a runner does; `failed` is which.
Result<RoundSamples> run_shoot_out(std::span<Runner* const> contestants, const ShootOutOptions& options,
                                   std::size_t& failed);

struct Verdict {
  std::size_t winner = 0;         // the lowest median, unless another is faster than it round by round
  std::vector<std::size_t> ties;  // who cannot be told from it, without the winner
};

// A contestant is slower than the winner when the interval of the median of time / winner's time, round by round, lies
// above 1: a sign test. `looks` is how often the samples are judged at most; the intervals are wide enough for all of
// them and all contestants together to hold with 95 % (Bonferroni). Precondition: as many samples of each, at least
// one.
Verdict judge(const RoundSamples& samples, std::size_t looks = 1);

}  // namespace wattune::measure
