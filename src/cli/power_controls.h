// What of a board can be set, and why it cannot, for `wattune power`. Found by reading; nothing is set.
#pragma once

#include <string>

#include "cli/json.h"
#include "wattune/backend/clock_control.h"

namespace wattune::cli {

struct BoardControls {
  backend::BoardChoices choices;
  backend::BoardSetting now;
  std::string lacks;  // why nothing of it can be set; empty: it can
};

// Of the board at this place of the PCI bus.
BoardControls find_board_controls(const std::string& pci_bus_id);

// Lines for people, each indented.
std::string controls_text(const BoardControls& controls);
Json to_json(const BoardControls& controls);

}  // namespace wattune::cli
