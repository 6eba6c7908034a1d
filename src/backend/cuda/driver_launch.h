// A launch as the driver takes it: checked, its arguments laid out, everything owned.
#pragma once

#include <cstring>
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
  static Result<std::shared_ptr<DriverLaunch>> make(const Handle<CUstream>& stream, const Kernel& kernel,
                                                    const Geometry3& geometry,
                                                    std::span<const LaunchArgument> arguments);
  // As it is by then: what is set later changes nothing of it.
  DriverLaunch(const DriverLaunch& other);
  DriverLaunch& operator=(const DriverLaunch&) = delete;

  // As those of PreparedLaunch. False: it is no such argument. Each call of an application sets all of them.
  bool set_memory(std::size_t argument, CUdeviceptr memory) {
    const Place place = argument < places_.size() ? places_[argument] : Place();
    if (place.kind != Place::Kind::memory) return set_constant(place, memory);
    std::memcpy(&values_[place.index], &memory, sizeof memory);
    return true;
  }
  bool set_scalar(std::size_t argument, std::span<const std::byte> bytes) {
    const Place place = argument < places_.size() ? places_[argument] : Place();
    if (place.kind != Place::Kind::scalar || place.bytes != bytes.size()) return false;
    if (bytes.size() == 4)  // the usual one, in no call
      std::memcpy(&values_[place.index], bytes.data(), 4);
    else
      std::memcpy(&values_[place.index], bytes.data(), bytes.size());
    return true;
  }

  // As a node of a graph has it, which has no attributes; valid as long as this.
  CUDA_KERNEL_NODE_PARAMS node_parameters() const;
  bool is_plain() const { return attributes_.empty() && !has_constants(); }
  bool has_constants() const { return !constants_.empty(); }

  // Both into the stream: the constant symbols that the kernel reads, and the kernel.
  CUresult copy_constants(const CuApi& cu) const;
  CUresult start(const CuApi& cu) const { return cu.cuLaunchKernelEx(&config_, function_, parameters_.get(), nullptr); }

 private:
  struct ConstantCopy {
    CUdeviceptr from = 0;
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
  };

  // Where an argument of the launch is: its first byte among the values, or which of the constants.
  struct Place {
    enum class Kind { memory, scalar, constant, fixed };
    Kind kind = Kind::fixed;
    std::size_t index = 0;
    std::size_t bytes = 0;  // of a value
  };

  DriverLaunch() = default;
  void lay_out_parameters(std::span<const LaunchArgument> arguments);
  void add_value(Place::Kind kind, std::span<const std::byte> bytes);
  bool set_constant(const Place& place, CUdeviceptr memory);
  void point_at_values();
  Result<void> find_constants(Session& session, const CudaKernel& kernel, std::span<const LaunchArgument> arguments);

  CUfunction function_ = nullptr;
  CUlaunchConfig config_{};
  std::vector<CUlaunchAttribute> attributes_;
  std::vector<std::byte> values_;        // of the parameters
  std::unique_ptr<void*[]> parameters_;  // where the values are
  std::vector<ConstantCopy> constants_;
  std::vector<Place> places_;  // of the arguments
};

}  // namespace wattune::backend::cuda
