// Lists the settings of a board, and the reasons why some cannot be changed, for `wattune power`. Nothing is changed.
#pragma once

#include <string>
#include <vector>

#include "cli/program/json.h"
#include "power/interface/controls.h"
#include "wattune/backend/clock_control.h"

namespace wattune::cli {

struct BoardControls {
  backend::BoardChoices choices;
  backend::BoardSetting now;
  std::vector<power::Control> means;
  std::string problem;  // the reason if the settings are unknown
};

// Finds the controls of the board at this place of the PCI bus.
BoardControls find_board_controls(const std::string& pci_bus_id);

// Lists the controls for people, in indented lines.
std::string controls_text(const BoardControls& controls);
Json to_json(const BoardControls& controls);

}  // namespace wattune::cli
