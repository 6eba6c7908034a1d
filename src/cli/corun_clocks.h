// The clocks that `wattune corun` may set: what users ask for, and which of a board's these are.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/app.h"
#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"

namespace wattune::cli {

struct ClockChoice {
  bool sets = false;                   // else the board has its own
  std::vector<Megahertz> clocks = {};  // of the cores, ascending; empty: some of those that the board offers
};

struct CorunClocks {
  ClockChoice choice = {};
  bool take_over = false;
  std::optional<Nanoseconds> energy_window = {};  // none: as suits the board
};

void declare_clocks(CLI::App& app, CorunClocks& clocks);
// "current", "auto", "1005,1410". invalid_argument.
Result<ClockChoice> parse_clocks(std::string_view text);

// Two of the board's clocks at least, ascending. Each is set once before anything runs, and all is restored.
// invalid_argument: the board does not have, or refuses, one of them.
Result<std::vector<Megahertz>> choose_clocks(const ClockChoice& choice, backend::ClockControl& control);
// The same error as one of the user's wish, which is told before anything runs.
Error clocks_refused(const Error& why);

}  // namespace wattune::cli
