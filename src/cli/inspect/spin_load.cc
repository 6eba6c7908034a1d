#include "cli/inspect/spin_load.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wattune::cli {

namespace {

constexpr Nanoseconds kLaunch = nanoseconds_from_ms(5);
constexpr Nanoseconds kSpinLimit = nanoseconds_from_seconds(60);
constexpr std::size_t kGroup = 256;
constexpr std::size_t kGroupsPerUnit = 8;  // blocks of 256 threads, which fill a multiprocessor of any generation
constexpr int kMostTurns = 1 << 28;

// Four independent chains prevent that additions wait for each other. The result is written, since it would not be
// computed otherwise.
constexpr const char* kTurns = R"(
  float a = x[i], b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
  for (int turn = 0; turn < turns; ++turn) {
    a = a * 0.999f + 0.5f;
    b = b * 0.999f + 0.5f;
    c = c * 0.999f + 0.5f;
    d = d * 0.999f + 0.5f;
  }
  x[i] = a + b + c + d;
}
)";

KernelSource spin_source(bool cuda) {
  const std::string head = cuda ? "extern \"C\" __global__ void spin(float* x, int turns) {\n"
                                  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;"
                                : "kernel void spin(global float* x, int turns) {\n  const int i = get_global_id(0);";
  return {.language = cuda ? Language::cuda : Language::opencl,
          .function = "spin",
          .file = cuda ? "spin.cu" : "spin.cl",
          .text = head + kTurns};
}

backend::ScalarBytes bytes_of(int value) {
  backend::ScalarBytes scalar{std::vector<std::byte>(sizeof value)};
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

std::size_t groups_of(const DeviceInfo& device) {
  return std::max(device.compute_units.value_or(1), 1u) * kGroupsPerUnit;
}

}  // namespace

Result<void> SpinLoad::prepare() {
  WATTUNE_ASSIGN(device_, tune::open_device(selector_, where_));
  WATTUNE_TRY(compile());
  WATTUNE_ASSIGN(stream_, device_->create_stream());
  WATTUNE_ASSIGN(buffer_, device_->create_buffer(groups_of(device_->info()) * kGroup * sizeof(float)));
  WATTUNE_TRY(stream_->fill(*buffer_, std::byte{0}));
  return calibrate();
}

Result<void> SpinLoad::compile() {
  const bool cuda = compiles(device_->info(), Language::cuda);
  if (!cuda && !compiles(device_->info(), Language::opencl))
    return Error(ErrorCode::unavailable, "only CUDA and OpenCL devices can be loaded").about(selector_);
  WATTUNE_ASSIGN(const auto program, device_->build(spin_source(cuda), {}, kSpinLimit));
  WATTUNE_ASSIGN(kernel_, program->kernel("spin"));
  return {};
}

Result<void> SpinLoad::calibrate() {
  constexpr int kRounds = 8;
  constexpr double kLargestStep = 64.0;
  for (int round = 0; round < kRounds; ++round) {
    WATTUNE_ASSIGN(takes_, launch(1));
    takes_ = std::max(takes_, Nanoseconds(1000));
    const double factor = std::clamp(kLaunch / takes_, 1.0 / kLargestStep, kLargestStep);
    if (factor > 0.8 && factor < 1.25) break;
    turns_ = static_cast<int>(std::clamp(turns_ * factor, 1.0, static_cast<double>(kMostTurns)));
  }
  return {};
}

Result<Nanoseconds> SpinLoad::launch(std::size_t times) {
  const backend::Geometry3 geometry{.groups = {groups_of(device_->info()), 1, 1}, .group_size = {kGroup, 1, 1}};
  const std::vector<backend::LaunchArgument> arguments{buffer_.get(), bytes_of(turns_)};
  std::unique_ptr<backend::Event> last;
  for (std::size_t i = 0; i < times; ++i) {
    WATTUNE_ASSIGN(last, stream_->launch(*kernel_, geometry, arguments));
  }
  WATTUNE_TRY(stream_->finish(kSpinLimit));
  return last->duration();
}

Result<void> SpinLoad::run(Nanoseconds time) {
  WATTUNE_TRY(launch(static_cast<std::size_t>(std::max(1.0, std::round(time / takes_)))));
  return {};
}

}  // namespace wattune::cli
