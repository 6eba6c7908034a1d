// The networks by which users of `wattune corun` let pairs and clocks be chosen.
#pragma once

#include <string>
#include <vector>

#include "cli/program/app.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

void declare_networks(CLI::App& app, schedule::NetworkChoice& networks);
// Fails with invalid_argument if files are named though networks do not decide, and as schedule::check_networks().
Result<void> check_networks(const schedule::NetworkChoice& networks, const std::vector<std::string>& policies,
                            const schedule::Objective& objective);

}  // namespace wattune::cli
