// What of a board can be set, and why it cannot, for `wattune power`. Found by reading; nothing is set.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "wattune/backend/clock_control.h"
#include "wattune/power/controls.h"

namespace wattune::cli {

struct BoardControls {
  backend::BoardChoices choices;
  backend::BoardSetting now;
  std::vector<power::Control> means;
  std::string problem;  // why nothing is known of it
};

// Of the board at this place of the PCI bus.
BoardControls find_board_controls(const std::string& pci_bus_id);

// Lines for people, each indented.
std::string controls_text(const BoardControls& controls);
Json to_json(const BoardControls& controls);

}  // namespace wattune::cli
