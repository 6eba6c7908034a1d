// The application's own context on a GPU, and the device that Wattune attaches to it. What differs between CUDA and
// OpenCL is here. The libraries are loaded, so that the program starts where one of them is missing.
//
//   WATTUNE_ASSIGN(const auto attached, fourier::attach("auto"));
//   attached->device().info().name;
#pragma once

#include <memory>
#include <string>

#include "wattune/backend/device.h"

namespace fourier {

// Gives the context back when it goes. Any thread may use the device; one thread attaches.
class AttachedDevice {
 public:
  virtual ~AttachedDevice() = default;
  virtual wattune::backend::Device& device() = 0;
};

// "auto", "cuda:0", "opencl", or part of a name. not_found, unavailable.
wattune::Result<std::unique_ptr<AttachedDevice>> attach(const std::string& wanted);

}  // namespace fourier
