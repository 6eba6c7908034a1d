// Contest: several configurations prepared at once and run in turns.
#pragma once

#include <optional>
#include <vector>

#include "tune/evaluate/evaluation_context.h"
#include "wattune/core/configuration.h"

namespace wattune::inline v0_1::tune {

struct ContestAttempt {
  Contest contest;  // results of all contestants; if one failed, only its observation counts
  std::optional<std::size_t> failed;
  std::optional<Error> error;  // an error that no configuration caused
  bool damaged_device = false;
  bool deserves_another_try = false;
  bool was_killed = false;  // true if another process killed the process that ran the contest
  bool cancelled = false;
};

// Prepares the contestants and runs them in turns. Ends when it is cancelled, or at the first contestant that fails,
// because the failure may have destroyed the programs of the others. Holds no object of the device afterwards.
ContestAttempt try_contest(EvaluationContext& run, const std::vector<Configuration>& contestants,
                           const measure::ShootOutOptions& options);

}  // namespace wattune::tune
