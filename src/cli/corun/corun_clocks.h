// The clocks that users of `wattune corun` allow to be set.
#pragma once

#include <optional>
#include <string_view>

#include "cli/program/app.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

struct CorunClocks {
  schedule::ClockChoice choice = {};  // the clocks, without `take_over`, which is a member below
  bool take_over = false;
  std::optional<Nanoseconds> energy_window = {};  // window of energy measurements; chosen to suit the board if absent
};

void declare_clocks(CLI::App& app, CorunClocks& clocks);
// Parses "current", "auto", "1005,1410" or "562/324,1228/324". Fails with invalid_argument.
Result<schedule::ClockChoice> parse_clocks(std::string_view text);

}  // namespace wattune::cli
