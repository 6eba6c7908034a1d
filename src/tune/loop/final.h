// Final: the results of the contestants that ran in turns at the end of a run, and the choice of the winner.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::tune {

struct Final {
  std::vector<Trial> trials;  // Trials, those of the finalists first; empty if the final was cancelled
  measure::Rounds rounds;     // rounds of each Trial, in the same order
  // Longest time with which a Trial may win (Objective::slowdown).
  Nanoseconds longest_time{std::numeric_limits<double>::infinity()};
};

// Decides the final: returns the position of the winner, which is the default configuration unless another is better.
// Returns nullopt if no finalist is correct and fast enough. Sets the place of each correct Trial. If the default
// configuration ran, also sets how many times better the Trial is than the default. `looks` is as in judge().
std::optional<std::size_t> decide(Final& final, std::size_t finalists, ConfigurationId default_id, std::size_t looks);

}  // namespace wattune::tune
