#include "backend/interface/nvml_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace wattune::inline v0_1::backend::nvml {

namespace {

Result<NvmlApi> load() {
  const char* const other = std::getenv("WATTUNE_LIBNVML");
  // NVML is never closed, because drivers leave threads behind.
  void* const library = dlopen(other != nullptr ? other : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error(ErrorCode::unavailable, fmt::format("NVML cannot be loaded: {}", dlerror()))
        .hint("install NVIDIA's driver with libnvidia-ml.so.1");
  NvmlApi api;
  const auto stand_in = reinterpret_cast<int (*)()>(dlsym(library, "wattune_stand_in"));
  api.drives_real_boards = stand_in == nullptr || stand_in() == 0;
#define WATTUNE_NVML_LOAD(function, parameters) \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #function));
  WATTUNE_NVML_FUNCTIONS(WATTUNE_NVML_LOAD)
#undef WATTUNE_NVML_LOAD
  if (const nvmlReturn_t code = call(api.nvmlInit_v2); code != NVML_SUCCESS)
    return Error(ErrorCode::unavailable, fmt::format("NVML cannot be started: {}", nvml_reason(code)));
  return api;
}

}  // namespace

Result<const NvmlApi*> nvml_api() {
  static const Result<NvmlApi> loaded = load();
  if (!loaded) return loaded.error();
  return &*loaded;
}

Result<nvmlDevice_t> nvml_board(const NvmlApi& nvml, const std::string& pci_bus_id) {
  nvmlDevice_t board = nullptr;
  const nvmlReturn_t code = call(nvml.nvmlDeviceGetHandleByPciBusId_v2, pci_bus_id.c_str(), &board);
  if (code == NVML_SUCCESS) return board;
  return Error(ErrorCode::unavailable, fmt::format("NVML on the board {}: {}", pci_bus_id, nvml_reason(code)));
}

std::string nvml_reason(nvmlReturn_t code) {
  switch (code) {
    case NVML_ERROR_INVALID_ARGUMENT: return "it refuses the value";
    case NVML_ERROR_NOT_SUPPORTED: return "the device does not support it";
    case NVML_ERROR_NO_PERMISSION: return "not permitted";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "the driver is not loaded";
    case NVML_ERROR_NOT_FOUND: return "it does not know the device";
    case NVML_ERROR_FUNCTION_NOT_FOUND: return "this version of NVML cannot do it: install a newer driver";
    case NVML_ERROR_GPU_IS_LOST: return "the device is lost";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH: return "it belongs to another version of the driver: restart the machine";
    default: return fmt::format("error {} of NVML, which it does not explain", code);
  }
}

}  // namespace wattune::backend::nvml
