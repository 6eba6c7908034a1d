// Restoring boards: the action of `wattune power --restore` on boards that dead tuners left set, and the last action of
// tuners.
#pragma once

#include <string>
#include <vector>

#include "cli/program/command.h"
#include "power/interface/clocks.h"

namespace wattune::cli {

// Describes each action, or why it failed, in a line; a line, too, if nothing was to be done.
std::string restore_text(const std::vector<power::StaleBoard>& boards);

// Restores one board, by UUID or place on the PCI bus, or all. Returns `environment` if a board could not be restored.
Result<ExitStatus> restore_boards(const std::string& board);

// Checks that a borrowed board, or any board if the name is empty, was given back. If the guardian could not do so,
// tries once more, and fails with the reason if that fails, too.
Result<void> check_given_back(const std::string& board);

}  // namespace wattune::cli
