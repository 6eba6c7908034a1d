// Restores boards whose settings a dead process has left changed, for `wattune power --restore`, and at the end of
// commands that set clocks.
#pragma once

#include <string>
#include <vector>

#include "cli/program/command.h"
#include "power/interface/clocks.h"

namespace wattune::cli {

// Returns a line for each board: what was done, or why it failed. If there was nothing to do, returns a line that says
// so.
std::string restore_text(const std::vector<power::StaleBoard>& boards);

// Restores one board, which is named by UUID or place on the PCI bus, or all boards if no name is given. Returns
// `environment` if a board could not be restored.
Result<ExitStatus> restore_boards(const std::string& board);

// Checks that the settings of a borrowed board (of all boards if the name is empty) were restored. If the guardian
// process could not restore them, this function tries once more. Fails with the reason if that fails, too.
Result<void> check_given_back(const std::string& board);

}  // namespace wattune::cli
