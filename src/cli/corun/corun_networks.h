// The networks that users of `wattune corun` let choose pairs and clocks.
#pragma once

#include <string>
#include <vector>

#include "cli/program/app.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

void declare_networks(CLI::App& app, schedule::NetworkChoice& networks);
// Checks the choice of networks. Fails with invalid_argument if files are named although no policy uses networks, and
// with the errors of schedule::check_networks().
Result<void> check_networks(const schedule::NetworkChoice& networks, const std::vector<std::string>& policies,
                            const schedule::Objective& objective);

}  // namespace wattune::cli
