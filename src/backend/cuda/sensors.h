// Sensors: clocks, power and temperature of a CUDA device, read through NVML. Nothing is ever set.
#pragma once

#include <string>
#include <vector>

#include "backend/cuda/nvml_api.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

class Sensors {
 public:
  // Of the device at this place of the PCI bus ("0000:3B:00.0"). What cannot be read stays empty, so it never fails.
  explicit Sensors(const std::string& pci_bus_id);

  // The clock, and whether something holds it down. What a launch needs to know, so it is quick.
  Conditions conditions() const;
  SensorReadings read() const;
  // The names of those that can be read now: clock, throttling, power, energy, temperature.
  std::vector<std::string> names() const;

 private:
  const NvmlApi* nvml_ = nullptr;
  nvmlDevice_t device_ = nullptr;
};

}  // namespace wattune::backend::cuda
