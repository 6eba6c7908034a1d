// Chooses the clocks that a session may set on a board.
#pragma once

#include <optional>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {

// The clocks that a session may set.
struct SettableClocks {
  std::vector<backend::BoardSetting> all = {};  // by memory clock, then by clock of the cores; both ascending
  std::optional<Megahertz> own_memory = {};     // memory clock at which the board runs by itself, which is its highest
};

// Returns at least two of the board's clocks. Sets each of them once before anything runs, and then restores the board.
// Fails with invalid_argument if the board lacks or refuses one of these clocks.
Result<SettableClocks> choose_clocks(const ClockChoice& choice, backend::ClockControl& control);
// Returns an error for failures before anything runs. It presents `why` as a mistake in the requested clocks.
Error clocks_refused(const Error& why);

}  // namespace wattune::schedule
