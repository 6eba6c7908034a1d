// Published peaks of devices, with which the rates of kernels are compared.
#pragma once

#include <string_view>

namespace wattune::inline v0_1::report {

struct DevicePeaks {
  std::string_view device;  // as its driver names it
  double bytes;             // of device memory, in bytes a second
  double operations;        // of 32-bit arithmetic without tensor cores, in operations a second
};

// Returns the peaks of the device of this name; nullptr for a device that the table lacks.
const DevicePeaks* find_peaks(std::string_view device);

}  // namespace wattune::report
