#include "backend/cuda/cu_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "backend/cuda/cuda_error.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

constexpr int kOldestVersion = 12040;

std::atomic<const CuApi*> loaded_api = nullptr;

// Checks the driver's version before its functions are looked up, so that the error for an old driver names its
// version, not a missing function.
Result<void> check_version(void* library) {
  const auto get_version = reinterpret_cast<CUresult (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (get_version == nullptr || get_version(&version) != CUDA_SUCCESS)
    return Error(ErrorCode::unavailable, "the CUDA driver does not tell its version");
  if (version >= kOldestVersion) return {};
  return Error(ErrorCode::unavailable, fmt::format("the CUDA driver is too old: it supports CUDA {}, {} is needed",
                                                   version_text(version), version_text(kOldestVersion)))
      .hint("install NVIDIA driver 550 or newer");
}

Result<CuApi> load_driver() {
  const char* const other = std::getenv("WATTUNE_LIBCUDA");
  // The library is never closed, because drivers leave threads and exit handlers behind.
  void* const library = dlopen(other != nullptr ? other : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error(ErrorCode::unavailable, fmt::format("the CUDA driver cannot be loaded: {}", dlerror()))
        .hint("install NVIDIA's driver, which brings libcuda.so.1");
  WATTUNE_TRY(check_version(library));
  CuApi api;
#define WATTUNE_CU_LOAD(function, symbol, parameters)                                \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #symbol));  \
  if (api.function == nullptr)                                                       \
    return Error(ErrorCode::unavailable, "the CUDA driver has no function " #symbol) \
        .hint("install NVIDIA driver 550 or newer");
  WATTUNE_CU_FUNCTIONS(WATTUNE_CU_LOAD)
#undef WATTUNE_CU_LOAD
#define WATTUNE_CU_FIND(function, symbol, parameters) \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #symbol));
  WATTUNE_CU_GREEN_FUNCTIONS(WATTUNE_CU_FIND)
#undef WATTUNE_CU_FIND
  if (const CUresult code = api.cuInit(0); code != CUDA_SUCCESS) return cu_error(api, code, "starting the CUDA driver");
  api.cuDriverGetVersion(&api.version);
  return api;
}

}  // namespace

Result<const CuApi*> cu_api() {
  static const Result<CuApi> loaded = load_driver();
  if (!loaded) return loaded.error();
  loaded_api = &*loaded;
  return &*loaded;
}

const CuApi* loaded_cu_api() { return loaded_api; }

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace wattune::backend::cuda
