// A launch as the driver takes it: checked, its arguments laid out, everything owned.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/program.h"
#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

class DriverLaunch {
 public:
  // launch_failed (what makes it impossible), mismatch (arguments), invalid_argument (objects of another device),
  // not_found (a constant symbol), device_lost. Kernel and buffers must live until it was sent for the last time. The
  // stream's session is entered.
  static Result<std::shared_ptr<const DriverLaunch>> make(const Handle<CUstream>& stream, const Kernel& kernel,
                                                          const Geometry3& geometry,
                                                          std::span<const LaunchArgument> arguments);
  DriverLaunch(const DriverLaunch&) = delete;
  DriverLaunch& operator=(const DriverLaunch&) = delete;

  // Both into the stream: the constant symbols that the kernel reads, and the kernel.
  CUresult copy_constants(const CuApi& cu) const;
  CUresult start(const CuApi& cu) const { return cu.cuLaunchKernelEx(&config_, function_, parameters_.get(), nullptr); }

 private:
  struct ConstantCopy {
    CUdeviceptr from = 0;
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
  };

  DriverLaunch() = default;
  void lay_out_parameters(std::span<const LaunchArgument> arguments);
  Result<void> find_constants(Session& session, const CudaKernel& kernel, std::span<const LaunchArgument> arguments);

  CUfunction function_ = nullptr;
  CUlaunchConfig config_{};
  std::vector<CUlaunchAttribute> attributes_;
  std::vector<std::vector<std::byte>> values_;  // of the parameters
  std::unique_ptr<void*[]> parameters_;         // where the values are
  std::vector<ConstantCopy> constants_;
};

}  // namespace wattune::backend::cuda
