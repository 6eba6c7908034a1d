// Assumed traits of NVML's power readings, by generation and driver, as far as they were published.
//
// The averaging windows are those that Yang, Adamek and Armour measured on 70 boards ("Part-time Power Measurements",
// SC24, arXiv 2312.02741). H200 and later boards are not among them. They are assumed to be like an H100, whose short
// window needs the most care.
#pragma once

#include <string>

#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// The facts that the traits depend on.
struct NvmlGeneration {
  unsigned architecture = 0;  // nvmlDeviceArchitecture_t: 2 is Kepler, 9 Hopper; 0 if NVML does not report it
  std::string board;          // name of the board, since the chip GA100 differs from its generation
  unsigned driver = 0;        // the first number of the driver's version
};

enum class NvmlPower {
  instant,  // nvmlDeviceGetFieldValues(), field 186
  average,  // nvmlDeviceGetFieldValues(), field 185
  usage,    // nvmlDeviceGetPowerUsage(), which equals one of the two fields
};

SensorTraits assumed_traits(const NvmlGeneration& generation, NvmlPower kind);
// Returns a period of 20 ms for Volta's counter, of 100 ms for all others.
SensorTraits assumed_counter_traits(const NvmlGeneration& generation);

}  // namespace wattune::power
