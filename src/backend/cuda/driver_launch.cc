#include "backend/cuda/driver_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/buffer.h"
#include "backend/interface/launch_check.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

std::vector<CUlaunchAttribute> attributes_of(const Geometry3& geometry) {
  std::vector<CUlaunchAttribute> attributes;
  if (geometry.cooperative) {
    attributes.push_back({CU_LAUNCH_ATTRIBUTE_COOPERATIVE, {}, {}});
    attributes.back().value.cooperative = 1;
  }
  if (geometry.cluster != std::array<std::size_t, 3>{1, 1, 1}) {
    attributes.push_back({CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, {}, {}});
    attributes.back().value.clusterDim = {static_cast<unsigned>(geometry.cluster[0]),
                                          static_cast<unsigned>(geometry.cluster[1]),
                                          static_cast<unsigned>(geometry.cluster[2])};
  }
  return attributes;
}

CUlaunchConfig config_of(const Geometry3& geometry, std::size_t dynamic_bytes, CUstream stream,
                         std::vector<CUlaunchAttribute>& attributes) {
  const auto size = [](std::size_t value) { return static_cast<unsigned>(value); };
  return {.gridDimX = size(geometry.groups[0]),
          .gridDimY = size(geometry.groups[1]),
          .gridDimZ = size(geometry.groups[2]),
          .blockDimX = size(geometry.group_size[0]),
          .blockDimY = size(geometry.group_size[1]),
          .blockDimZ = size(geometry.group_size[2]),
          .sharedMemBytes = size(dynamic_bytes),
          .hStream = stream,
          .attrs = attributes.data(),
          .numAttrs = size(attributes.size())};
}

// Returns the argument for a buffer that check_launch() has accepted.
std::uint64_t argument_of(const Buffer* buffer) {
  return buffer != nullptr ? static_cast<const CudaMemory*>(buffer)->argument() : 0;
}

// Checks the limits of CUDA beyond those of every backend.
Result<void> check_limits(const DeviceInfo& info, const CudaKernel& kernel, const Geometry3& geometry,
                          std::size_t dynamic_bytes) {
  constexpr std::array<std::size_t, 3> kMaxGrid{0x7fffffff, 65535, 65535};  // limits since compute capability 3.0
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (geometry.groups[axis] > kMaxGrid[axis])
      return refused(kernel, fmt::format("a grid of {} blocks in {}, at most {} are possible", geometry.groups[axis],
                                         "xyz"[axis], kMaxGrid[axis]));
    if (geometry.cluster[axis] == 0 || geometry.groups[axis] % geometry.cluster[axis] != 0)
      return refused(kernel, fmt::format("a grid of {} blocks in {} is no multiple of clusters of {}",
                                         geometry.groups[axis], "xyz"[axis], geometry.cluster[axis]));
  }
  const std::size_t shared = kernel.static_local_bytes() + dynamic_bytes;
  const std::uint64_t most = info.local_memory_bytes.value_or(0);
  if (shared <= most) return {};
  return refused(kernel, fmt::format("{} bytes of shared memory, the device has {}", shared, most));
}

// Requests the features of the launch that the driver grants only on request.
Result<void> allow(Session& session, const CudaKernel& kernel, const Geometry3& geometry, std::size_t dynamic_bytes) {
  constexpr std::size_t kPortableCluster = 8;
  WATTUNE_TRY(kernel.allow_local_memory(dynamic_bytes));
  if (geometry.cluster[0] * geometry.cluster[1] * geometry.cluster[2] <= kPortableCluster) return {};
  const CUresult code =
      session.cu().cuFuncSetAttribute(kernel.get(), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (code == CUDA_SUCCESS) return {};
  return session.failure(code, fmt::format("allowing kernel `{}` large clusters", kernel.name()));
}

}  // namespace

Result<std::shared_ptr<DriverLaunch>> DriverLaunch::make(const Handle<CUstream>& stream, const Kernel& any_kernel,
                                                         const Geometry3& geometry,
                                                         std::span<const LaunchArgument> arguments) {
  Session& session = *stream.session();
  WATTUNE_TRY(check_launch(session, any_kernel, geometry, arguments));
  const auto& kernel = static_cast<const CudaKernel&>(any_kernel);
  const std::size_t dynamic_bytes = local_bytes_of(arguments);
  WATTUNE_TRY(check_limits(session.info(), kernel, geometry, dynamic_bytes));
  WATTUNE_TRY(allow(session, kernel, geometry, dynamic_bytes));
  std::shared_ptr<DriverLaunch> launch(new DriverLaunch);
  launch->function_ = kernel.get();
  launch->attributes_ = attributes_of(geometry);
  launch->config_ = config_of(geometry, dynamic_bytes, stream.get(), launch->attributes_);
  launch->lay_out_parameters(arguments);
  WATTUNE_TRY(launch->find_constants(session, kernel, arguments));
  return launch;
}

DriverLaunch::DriverLaunch(const DriverLaunch& other)
    : function_(other.function_),
      config_(other.config_),
      attributes_(other.attributes_),
      values_(other.values_),
      constants_(other.constants_),
      places_(other.places_) {
  config_.attrs = attributes_.data();
  point_at_values();
}

CUDA_KERNEL_NODE_PARAMS DriverLaunch::node_parameters() const {
  return {.func = function_,
          .gridDimX = config_.gridDimX,
          .gridDimY = config_.gridDimY,
          .gridDimZ = config_.gridDimZ,
          .blockDimX = config_.blockDimX,
          .blockDimY = config_.blockDimY,
          .blockDimZ = config_.blockDimZ,
          .sharedMemBytes = config_.sharedMemBytes,
          .kernelParams = parameters_.get(),
          .extra = nullptr,
          .kern = nullptr,
          .ctx = nullptr};
}

bool DriverLaunch::set_constant(const Place& place, CUdeviceptr memory) {
  if (place.kind != Place::Kind::constant) return false;
  constants_[place.index].from = memory;
  return true;
}

CUresult DriverLaunch::copy_constants(const CuApi& cu, CUstream stream) const {
  for (const ConstantCopy& copy : constants_) {
    const CUresult code = cu.cuMemcpyDtoDAsync(copy.to, copy.from, copy.bytes, stream);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

void DriverLaunch::lay_out_parameters(std::span<const LaunchArgument> arguments) {
  for (const LaunchArgument& argument : arguments) {
    if (const auto* buffer = std::get_if<const Buffer*>(&argument)) {
      const bool is_pixels = *buffer != nullptr && (*buffer)->has_pixels();
      const std::uint64_t value = argument_of(*buffer);
      add_value(is_pixels ? Place::Kind::fixed : Place::Kind::memory, std::as_bytes(std::span(&value, 1)));
    } else if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) {
      add_value(Place::Kind::scalar, scalar->bytes);
    } else {
      places_.emplace_back();
    }
  }
  point_at_values();
}

void DriverLaunch::add_value(Place::Kind kind, std::span<const std::byte> bytes) {
  constexpr std::size_t kAlignment = 16;  // enough for every type
  const std::size_t begin = (values_.size() + kAlignment - 1) / kAlignment * kAlignment;
  values_.resize(begin + bytes.size());
  std::ranges::copy(bytes, values_.data() + begin);
  places_.push_back({kind, begin, bytes.size()});
}

// Sets the pointers to the parameters' values. Constants and local memory are not parameters, and have no bytes here.
void DriverLaunch::point_at_values() {
  std::vector<void*> values;
  for (const Place& place : places_)
    if (place.bytes > 0) values.push_back(&values_[place.index]);
  parameters_ = std::make_unique<void*[]>(values.size());
  std::ranges::copy(values, parameters_.get());
}

Result<void> DriverLaunch::find_constants(Session& session, const CudaKernel& kernel,
                                          std::span<const LaunchArgument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* constant = std::get_if<ConstantBuffer>(&arguments[i]);
    if (constant == nullptr) continue;
    places_[i] = {.kind = Place::Kind::constant, .index = constants_.size()};
    ConstantCopy copy{argument_of(constant->buffer), 0, constant->buffer->bytes()};
    std::size_t bytes = 0;
    const CUresult code = session.cu().cuModuleGetGlobal(&copy.to, &bytes, kernel.module(), constant->symbol.c_str());
    if (code == CUDA_ERROR_NOT_FOUND)
      return Error(ErrorCode::not_found, fmt::format("no constant symbol `{}` in the program", constant->symbol))
          .hint("declare it extern \"C\", or it has a longer name");
    if (code != CUDA_SUCCESS) return session.failure(code, fmt::format("looking for `{}`", constant->symbol));
    if (copy.bytes > bytes)
      return Error(ErrorCode::mismatch, fmt::format("constant symbol `{}` has {} bytes, the argument {}",
                                                    constant->symbol, bytes, copy.bytes));
    constants_.push_back(copy);
  }
  return {};
}

}  // namespace wattune::backend::cuda
