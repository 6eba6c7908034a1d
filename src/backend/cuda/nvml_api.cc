#include "backend/cuda/nvml_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace wattune::backend::cuda {

namespace {

Result<NvmlApi> load() {
  const char* const other = std::getenv("WATTUNE_LIBNVML");
  void* const library = dlopen(other != nullptr ? other : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
  if (library == nullptr)
    return Error(ErrorCode::unavailable, fmt::format("NVML cannot be loaded: {}", dlerror()))
        .hint("install NVIDIA's driver with libnvidia-ml.so.1");
  NvmlApi api;
#define WATTUNE_NVML_LOAD(function, parameters)                                       \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #function)); \
  if (api.function == nullptr)                                                        \
    return Error(ErrorCode::unavailable, "NVML has no function " #function).hint("install NVIDIA driver 550 or newer");
  WATTUNE_NVML_FUNCTIONS(WATTUNE_NVML_LOAD)
#undef WATTUNE_NVML_LOAD
  if (const nvmlReturn_t code = api.nvmlInit_v2(); code != NVML_SUCCESS)
    return Error(ErrorCode::unavailable, fmt::format("NVML cannot be started: {}", nvml_reason(code)));
  return api;
}

}  // namespace

Result<const NvmlApi*> nvml_api() {
  static const Result<NvmlApi> loaded = load();
  if (!loaded) return loaded.error();
  return &*loaded;
}

std::string nvml_reason(nvmlReturn_t code) {
  switch (code) {
    case NVML_ERROR_NOT_SUPPORTED: return "the device does not support it";
    case NVML_ERROR_NO_PERMISSION: return "not permitted";
    case NVML_ERROR_NOT_FOUND: return "it does not know the device";
    case NVML_ERROR_GPU_IS_LOST: return "the device is lost";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH: return "it belongs to another version of the driver: restart the machine";
    default: return fmt::format("error {}", code);
  }
}

}  // namespace wattune::backend::cuda
