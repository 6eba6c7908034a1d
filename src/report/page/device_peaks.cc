// The numbers are those of the vendors' data sheets, at the boost clock. A name that stands for several boards with
// different memory, such as "A100", is left out.
#include "report/page/device_peaks.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::report {

namespace {

constexpr std::array kPeaks = {DevicePeaks{"NVIDIA H200", 4.8e12, 66.9e12},
                               DevicePeaks{"NVIDIA H100 80GB HBM3", 3.35e12, 66.9e12},
                               DevicePeaks{"NVIDIA H100 PCIe", 2.0e12, 51.2e12},
                               DevicePeaks{"NVIDIA A100-PCIE-40GB", 1.555e12, 19.5e12},
                               DevicePeaks{"NVIDIA A100-SXM4-40GB", 1.555e12, 19.5e12},
                               DevicePeaks{"NVIDIA A100 80GB PCIe", 1.935e12, 19.5e12},
                               DevicePeaks{"NVIDIA A100-SXM4-80GB", 2.039e12, 19.5e12},
                               DevicePeaks{"A100-PCIE-40GB", 1.555e12, 19.5e12},
                               DevicePeaks{"Tesla V100-PCIE-16GB", 0.9e12, 14.0e12},
                               DevicePeaks{"Tesla V100-SXM2-16GB", 0.9e12, 15.7e12},
                               DevicePeaks{"Tesla V100-SXM2-32GB", 0.9e12, 15.7e12},
                               DevicePeaks{"NVIDIA RTX 4000 Ada Generation", 0.36e12, 26.7e12},
                               DevicePeaks{"NVIDIA RTX A4000", 0.448e12, 19.2e12},
                               DevicePeaks{"NVIDIA RTX A6000", 0.768e12, 38.7e12},
                               DevicePeaks{"NVIDIA TITAN RTX", 0.672e12, 16.3e12},
                               DevicePeaks{"TITAN RTX", 0.672e12, 16.3e12},
                               DevicePeaks{"NVIDIA GeForce RTX 2080 Ti", 0.616e12, 13.4e12},
                               DevicePeaks{"GeForce GTX 1080 Ti", 0.484e12, 11.3e12},
                               DevicePeaks{"GeForce GTX 1070", 0.256e12, 6.5e12},
                               DevicePeaks{"Tesla K20m", 0.208e12, 3.52e12},
                               DevicePeaks{"AMD Radeon PRO W6600", 0.224e12, 10.4e12}};

}  // namespace

const DevicePeaks* find_peaks(std::string_view device) {
  const auto* const found = std::ranges::find(kPeaks, device, &DevicePeaks::device);
  return found == kPeaks.end() ? nullptr : found;
}

}  // namespace wattune::report
