// NamedSensors: sensors that an application has registered by name (wattune/power/board.h), as those of a machine.
//
//   WATTUNE_ASSIGN(const auto sensors, NamedSensors::open("plug", device.info()));
//   const DeviceMachineOptions options{.energy_every = sensors->interval(), .sensors = &*sensors};
//   WATTUNE_ASSIGN(auto machine, DeviceMachine::make(device, options));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "wattune/backend/sensors.h"
#include "wattune/core/result.h"
#include "wattune/power/board.h"

namespace wattune::inline v0_1::schedule {

class NamedSensors : public backend::Sensors {
 public:
  // Opens the sensors of this name for a device. Fails as power::open_sensors() does, and with unavailable if they tell
  // neither energy nor power.
  static Result<std::unique_ptr<NamedSensors>> open(const std::string& name, const DeviceInfo& device);

  // Returns the joules of the first energy counter. Without one, returns those that the first power sensor has shown
  // since the first call: its readings, joined by straight lines. One thread at a time; fails as the sensor does.
  Result<backend::SensorReadings> read() override;
  // Returns the period at which the sensors are to be read.
  Nanoseconds interval() const;

 private:
  explicit NamedSensors(power::Board board) : board_(std::move(board)) {}
  Result<Joules> joules();

  const power::Board board_;
  std::optional<power::Reading<Watts>> last_;
  Joules sum_;
};

}  // namespace wattune::schedule
