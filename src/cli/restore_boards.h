// Boards given back: what `wattune power --restore` does about those that dead tuners left set, and what tuners do
// last.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "wattune/power/clocks.h"

namespace wattune::cli {

// A line for each thing that was done, or why not; that nothing was to do is a line, too.
std::string restore_text(const std::vector<power::StaleBoard>& boards);

// Of one board, by UUID or place on the PCI bus, or of all. `environment`: a board could not be given back.
Result<ExitStatus> restore_boards(const std::string& board);

// For who borrowed this board, or some board, and holds it no more: where the guardian could not give it back, a second
// try says why.
Result<void> check_given_back(const std::string& board);

}  // namespace wattune::cli
