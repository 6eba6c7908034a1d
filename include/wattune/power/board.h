// Board holds the sensors of one board, found by its place on the PCI bus or its UUID, through whichever library knows
// it.
//
// The caller owns a Board and its sensors. Opening one reads each sensor once and leaves out those that do not answer.
// register_sensors() adds sensors of one's own, such as a meter beside the machine. Any thread may call the functions.
//
//   WATTUNE_ASSIGN(power::Board board, power::open_board(device.info().pci_bus_id));
//   const auto recorder = power::make_recorder(board);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/sensors.h"
#include "wattune/core/device_info.h"
#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// A board with its sensors. A list is empty if no library reports that quantity.
struct WATTUNE_EXPORT Board {
  std::string uuid;  // "GPU-6f1a..."
  std::string name;
  std::string driver;  // version of the driver
  std::string pci_bus_id;
  // Sensors of energy, the best first. The list is empty if there is none.
  std::vector<std::unique_ptr<EnergyCounter>> energy;
  std::vector<std::unique_ptr<PowerSensor>> power;
  std::vector<std::unique_ptr<Thermometer>> temperature;
  std::vector<std::unique_ptr<Voltmeter>> voltage;
  std::unique_ptr<backend::Sensors> conditions;  // clocks and throttling; nullptr if nothing reports them
  // The board's power at rest, without and with a context of this process. Set if characterise() has measured it on
  // this board.
  std::optional<Watts> idle;
  std::optional<Measured<Watts>> context_idle;
  // Explanations of sensors that one would expect but that are missing, one line each.
  std::vector<std::string> missing;
};

// Opens the board with this PCI bus id ("0000:3B:00.0") or UUID. Fails with unavailable if no library knows the board,
// or if MIG is on, since sensors report on the whole board and never on one instance.
WATTUNE_EXPORT Result<Board> open_board(const std::string& name);

// The boards of this machine. `problems` tells why other boards cannot be opened.
struct WATTUNE_EXPORT BoardsFound {
  std::vector<Board> boards;
  std::vector<std::string> problems;
};

WATTUNE_EXPORT BoardsFound find_boards();

// Opens sensors of one's own for a device. Any thread may call it at any time. Other threads read the sensors, each
// sensor in one thread at a time.
using OpenSensors = std::function<Result<Board>(const DeviceInfo& device)>;

// Registers sensors of one's own in this process. From then on tune::open() takes them by this name
// (tune::EvaluatorOptions::sensors). Fails with invalid_argument if the name or the function is empty, and with
// already_exists if the name is taken.
WATTUNE_EXPORT Result<void> register_sensors(const std::string& name, const OpenSensors& open);

// Opens the registered sensors of this name. Fails with not_found (and the nearest name) if no sensors have this name,
// and with the errors of the registered function.
WATTUNE_EXPORT Result<Board> open_sensors(const std::string& name, const DeviceInfo& device);

// Returns a recorder that reads each sensor in a thread of its own, at reading_interval() or at this interval. The
// board must outlive the recorder.
WATTUNE_EXPORT std::unique_ptr<Recorder> make_recorder(Board& board, std::optional<Nanoseconds> interval = {});

}  // namespace wattune::power
