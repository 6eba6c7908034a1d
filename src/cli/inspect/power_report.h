// Reports on the sensors of a board for `wattune power`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/inspect/power_controls.h"
#include "cli/program/json.h"
#include "wattune/power/board.h"

namespace wattune::cli {

// A sensor, with its properties and its present value.
struct SensorReport {
  power::SensorInfo info;
  std::string quantity;  // such as "power"
  std::string unit;      // such as "W"
  Result<double> value;  // present value in that unit
};

struct BoardReport {
  std::string uuid;
  std::string name;
  std::string driver;
  std::string pci_bus_id;
  std::optional<Watts> idle;
  std::optional<power::Measured<Watts>> context_idle;
  std::vector<SensorReport> sensors;
  backend::Conditions conditions;
  BoardControls controls;
  std::vector<std::string> missing;
};

// Reads each sensor of the board once.
BoardReport report_of(const power::Board& board);

std::string power_text(const std::vector<BoardReport>& boards, const std::vector<std::string>& problems);
Json power_json(const std::vector<BoardReport>& boards, const std::vector<std::string>& problems);

}  // namespace wattune::cli
