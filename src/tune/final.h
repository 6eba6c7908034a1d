// Final: what became of the contestants at the end of a run.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/measure/shoot_out.h"

namespace wattune::tune {

struct Final {
  std::vector<Trial> trials;  // the finalists first; none: it was cancelled
  measure::Rounds rounds;     // of each
  // What takes longer does not win (Objective::slowdown).
  Nanoseconds longest_time{std::numeric_limits<double>::infinity()};
};

// Gives each correct Trial its place, and where the default configuration ran, how many times better it is than that.
// The position of the winner, which is the default unless another is better; none when no finalist is correct and
// fast enough. `looks`
// is as of judge().
std::optional<std::size_t> decide(Final& final, std::size_t finalists, ConfigurationId default_id, std::size_t looks);

}  // namespace wattune::tune
