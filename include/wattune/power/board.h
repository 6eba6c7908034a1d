// Board: what can be read of a board, by its place on the PCI bus or its UUID, whatever library tells it.
//
// The caller owns a Board and its sensors. Opening one reads each sensor once and leaves out those that do not answer.
//
//   WATTUNE_ASSIGN(power::Board board, power::open_board(device.info().pci_bus_id));
//   const auto recorder = power::make_recorder(board);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/sensors.h"
#include "wattune/core/result.h"
#include "wattune/power/recorder.h"
#include "wattune/power/sensor.h"

namespace wattune::power {

struct Board {
  std::string uuid;  // "GPU-6f1a..."
  std::string name;
  std::string driver;  // its version
  std::string pci_bus_id;
  // The best first. Empty where nothing tells.
  std::vector<std::unique_ptr<EnergyCounter>> energy;
  std::vector<std::unique_ptr<PowerSensor>> power;
  std::vector<std::unique_ptr<Thermometer>> temperature;
  std::vector<std::unique_ptr<Voltmeter>> voltage;
  std::unique_ptr<backend::Sensors> conditions;  // clocks and throttling; none where nothing tells
  // At rest, without and with a context of ours, where characterise() has measured it on this board.
  std::optional<Watts> idle;
  std::optional<Measured<Watts>> context_idle;
  // Why what one would expect is missing, one line each.
  std::vector<std::string> missing;
};

// Of the board that this names: a PCI bus id ("0000:3B:00.0") or a UUID. unavailable: no library knows it; or MIG is
// on, where a reading is never that of one instance.
Result<Board> open_board(const std::string& name);

// Boards of this machine; those that cannot be opened are left out, and `problems` says why.
struct BoardsFound {
  std::vector<Board> boards;
  std::vector<std::string> problems;
};
BoardsFound find_boards();

// Reads its sensors in threads of its own, each four times in its period, or at this interval. The board outlives it.
std::unique_ptr<Recorder> make_recorder(Board& board, std::optional<Nanoseconds> interval = {});

}  // namespace wattune::power
