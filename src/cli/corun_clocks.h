// The clocks that `wattune corun` may set: the user's choice, and the matching clocks of a board.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/app.h"
#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"

namespace wattune::cli {

struct ClockChoice {
  bool sets = false;                   // else the clocks are left to the board
  std::vector<Megahertz> clocks = {};  // of the cores, ascending; if empty, some of those that the board offers
};

struct CorunClocks {
  ClockChoice choice = {};
  bool take_over = false;
  std::optional<Nanoseconds> energy_window = {};  // chosen to suit the board if absent
};

void declare_clocks(CLI::App& app, CorunClocks& clocks);
// Parses "current", "auto" or "1005,1410". Fails with invalid_argument.
Result<ClockChoice> parse_clocks(std::string_view text);

// Returns at least two of the board's clocks, ascending. Sets each of them once before anything runs, and then restores
// the board. Fails with invalid_argument if the board lacks or refuses one of them.
Result<std::vector<Megahertz>> choose_clocks(const ClockChoice& choice, backend::ClockControl& control);
// Returns the error as a mistake in --clocks, for failures before anything runs.
Error clocks_refused(const Error& why);

}  // namespace wattune::cli
