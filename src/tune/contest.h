// Contest: several configurations prepared at once and run in turns.
#pragma once

#include <optional>
#include <vector>

#include "tune/run_state.h"
#include "wattune/core/configuration.h"

namespace wattune::tune {

struct ContestAttempt {
  Contest contest;  // of all contestants; when one failed, only its own observation says anything
  std::optional<std::size_t> failed;
  std::optional<Error> error;  // which no configuration is to blame for
  bool damaged_device = false;
  bool deserves_another_try = false;
  bool was_killed = false;  // by somebody who is not this process
  bool cancelled = false;
};

// Ends at the first contestant that fails, because it may have taken the others' programs with it, or when it is
// cancelled. No object of the device is held afterwards.
ContestAttempt try_contest(RunState& run, const std::vector<Configuration>& contestants,
                           const measure::ShootOutOptions& options);

}  // namespace wattune::tune
