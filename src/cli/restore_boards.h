// What `wattune power --restore` does: gives back what dead tuners left set.
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

}  // namespace wattune::cli
