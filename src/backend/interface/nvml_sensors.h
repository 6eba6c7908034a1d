// NvmlSensors: reads clocks, power and temperature of a CUDA device through NVML. It changes nothing.
#pragma once

#include <string>
#include <vector>

#include "backend/interface/nvml_api.h"
#include "wattune/backend/sensors.h"

namespace wattune::inline v0_1::backend::nvml {

class NvmlSensors : public Sensors {
 public:
  // Finds the device at this place of the PCI bus ("0000:3B:00.0").
  explicit NvmlSensors(const std::string& pci_bus_id) : board_(find(pci_bus_id)) {}
  NvmlSensors(const NvmlApi& nvml, nvmlDevice_t device) : board_(Board{&nvml, device}) {}

  // Checks that at least one sensor can be read. Fails with unavailable and the reason otherwise.
  Result<void> check() const;
  // Reads the clock, and whether power or heat holds the clock down. It is quick, because each timed launch calls it.
  Conditions conditions() const;
  Result<SensorReadings> read() override { return readings(); }
  SensorReadings readings() const;
  // Returns the names of the sensors that can be read now: clock, throttling, power, energy, temperature.
  std::vector<std::string> names() const;

 private:
  struct Board {
    const NvmlApi* nvml;
    nvmlDevice_t device;
  };
  static Result<Board> find(const std::string& pci_bus_id);

  Result<Board> board_;
};

}  // namespace wattune::backend::nvml
