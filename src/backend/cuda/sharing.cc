// Tells whether another process can use the device, by its compute mode and MPS: https://docs.nvidia.com/deploy/mps.
#include "backend/interface/sharing.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "backend/cuda/cu_api.h"

namespace wattune::inline v0_1::backend {

namespace cuda {
namespace {

constexpr int kProhibited = 2;
constexpr int kExclusiveProcess = 3;

bool is_at(const CuApi& cu, CUdevice device, const std::string& bus_id) {
  std::array<char, 32> id{};
  const CUresult code = cu.cuDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device);
  return code == CUDA_SUCCESS && bus_id == id.data();
}

std::optional<CUdevice> device_at(const CuApi& cu, const std::string& bus_id) {
  int count = 0;
  if (cu.cuDeviceGetCount(&count) != CUDA_SUCCESS) return std::nullopt;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    if (cu.cuDeviceGet(&device, ordinal) == CUDA_SUCCESS && is_at(cu, device, bus_id)) return device;
  }
  return std::nullopt;
}

// Tells whether an MPS control daemon listens at its usual place. There is no other way to ask drivers that lack the
// attribute CU_DEVICE_ATTRIBUTE_MPS_ENABLED.
bool mps_listens() {
  const char* const folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::error_code unreadable;
  return std::filesystem::exists(std::filesystem::path(folder != nullptr ? folder : "/tmp/nvidia-mps") / "control",
                                 unreadable);
}

bool uses_mps(const CuApi& cu, CUdevice device) {
  int enabled = 0;
  if (cu.cuDeviceGetAttribute(&enabled, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, device) == CUDA_SUCCESS) return enabled != 0;
  return mps_listens();
}

Result<void> check_second_process(const CuApi& cu, CUdevice device, const DeviceInfo& info) {
  int mode = 0;
  cu.cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device);
  if (mode == kExclusiveProcess || mode == kProhibited)
    return Error(ErrorCode::unavailable,
                 fmt::format("{} ({}) is in {} mode, which lets no second process in", info.selector, info.name,
                             mode == kProhibited ? "prohibited" : "exclusive-process"))
        .hint("`nvidia-smi -c DEFAULT` lets it in");
  if (uses_mps(cu, device))
    return Error(ErrorCode::unavailable,
                 fmt::format("{} ({}) is used through MPS, under which a second process can break the first",
                             info.selector, info.name))
        .hint("stop the MPS daemon, or choose another level of safety");
  return {};
}

}  // namespace
}  // namespace cuda

Result<void> check_second_process(const DeviceInfo& info) {
  if (info.pci_bus_id.empty()) return {};
  const Result<const cuda::CuApi*> cu = cuda::cu_api();
  const std::optional<cuda::CUdevice> device = cu ? cuda::device_at(**cu, info.pci_bus_id) : std::nullopt;
  return device ? cuda::check_second_process(**cu, *device, info) : Result<void>();
}

}  // namespace wattune::backend
