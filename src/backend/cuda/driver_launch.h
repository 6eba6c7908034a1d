// A launch in the form that the driver takes. Arguments are checked and laid out in memory that this object owns.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/program.h"
#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

class DriverLaunch {
 public:
  // Prepares a launch. Fails with launch_failed and the reason if the launch is impossible, with mismatch (arguments),
  // invalid_argument (objects of another device), not_found (a constant symbol) or device_lost. Kernel and buffers must
  // live until the last send. Precondition: the stream's session is entered.
  static Result<std::shared_ptr<DriverLaunch>> make(const Handle<CUstream>& stream, const Kernel& kernel,
                                                    const Geometry3& geometry,
                                                    std::span<const LaunchArgument> arguments);
  // Copies the launch as it is now: arguments that are set later do not change the copy.
  DriverLaunch(const DriverLaunch& other);
  DriverLaunch& operator=(const DriverLaunch&) = delete;

  // Sets the memory or the bytes of an argument, as PreparedLaunch does. Returns false if the launch has no such
  // argument. It is fast, because each call of an application sets all arguments.

  bool set_memory(std::size_t argument, CUdeviceptr memory) {
    const Place place = argument < places_.size() ? places_[argument] : Place();
    if (place.kind != Place::Kind::memory) return set_constant(place, memory);
    std::memcpy(&values_[place.index], &memory, sizeof memory);
    return true;
  }
  bool set_scalar(std::size_t argument, std::span<const std::byte> bytes) {
    const Place place = argument < places_.size() ? places_[argument] : Place();
    if (place.kind != Place::Kind::scalar || place.bytes != bytes.size()) return false;
    if (bytes.size() == 4)  // the usual size, which needs no call of memcpy
      std::memcpy(&values_[place.index], bytes.data(), 4);
    else
      std::memcpy(&values_[place.index], bytes.data(), bytes.size());
    return true;
  }

  // Returns the launch as a node of a CUDA graph. The node has no launch attributes. The node is valid as long as this
  // object lives.
  CUDA_KERNEL_NODE_PARAMS node_parameters() const;
  bool is_plain() const { return attributes_.empty() && !has_constants(); }
  bool has_constants() const { return !constants_.empty(); }

  // Copies the constant symbols that the kernel reads, or starts the kernel. These are the two commands of a launch.

  CUresult copy_constants(const CuApi& cu) const { return copy_constants(cu, config_.hStream); }
  CUresult copy_constants(const CuApi& cu, CUstream stream) const;
  CUresult start(const CuApi& cu) const { return cu.cuLaunchKernelEx(&config_, function_, parameters_.get(), nullptr); }

 private:
  struct ConstantCopy {
    CUdeviceptr from = 0;
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
  };

  // The place of an argument: its first byte among the values, or the index of its constant.
  struct Place {
    enum class Kind { memory, scalar, constant, fixed };
    Kind kind = Kind::fixed;
    std::size_t index = 0;
    std::size_t bytes = 0;  // size of a value
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
  std::vector<std::byte> values_;        // values of all parameters, one after another
  std::unique_ptr<void*[]> parameters_;  // addresses of the values
  std::vector<ConstantCopy> constants_;
  std::vector<Place> places_;  // places of the arguments, in their order
};

}  // namespace wattune::backend::cuda
