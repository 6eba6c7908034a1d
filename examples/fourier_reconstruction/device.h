// The application's own context on a GPU, and the device that Wattune attaches to it. The two hide the differences
// between CUDA and OpenCL. The libraries of both are loaded at run time, so that the program starts if one of them is
// missing.
//
//   WATTUNE_ASSIGN(const auto attached, fourier::attach("auto"));
//   attached->device().info().name;
#pragma once

#include <memory>
#include <string>

#include "wattune/backend/device.h"

namespace fourier {

// A device attached to a context, which it releases when it is destroyed. Any thread may use the device, but all
// devices are attached by one thread.
class AttachedDevice {
 public:
  virtual ~AttachedDevice() = default;
  virtual wattune::backend::Device& device() = 0;
};

// Attaches to a device: "auto", "cuda:0", "opencl", or part of a name. Fails with not_found or unavailable.
wattune::Result<std::unique_ptr<AttachedDevice>> attach(const std::string& wanted);

}  // namespace fourier
