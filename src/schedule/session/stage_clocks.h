// The choice of the clocks that a session may set on a board.
#pragma once

#include <optional>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {

// The clocks that may be set.
struct SettableClocks {
  std::vector<backend::BoardSetting> all = {};  // those of one memory clock together, both ascending
  std::optional<Megahertz> own_memory = {};     // the board's own memory clock, which is its highest
};

// Returns at least two of the board's clocks. Sets each of them once before anything runs, and then restores the board.
// Fails with invalid_argument if the board lacks or refuses one of them.
Result<SettableClocks> choose_clocks(const ClockChoice& choice, backend::ClockControl& control);
// Returns the error as a mistake in the requested clocks, for failures before anything runs.
Error clocks_refused(const Error& why);

}  // namespace wattune::schedule
