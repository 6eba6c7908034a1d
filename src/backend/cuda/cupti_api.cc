#include "backend/cuda/cupti_api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <span>

#include "backend/cuda/toolkit.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

constexpr const char* kCuptiLibraries[] = {"libcupti.so.13", "libcupti.so.12"};

// Returns the names of CUPTI to try. These have the driver's own major version or an older one, which the driver also
// supports.
std::vector<std::string> cupti_candidates(std::optional<int> driver_version) {
  if (const char* const file = std::getenv("WATTUNE_LIBCUPTI")) return {file};
  const std::span<const char* const> names(kCuptiLibraries);
  return library_candidates(!driver_version || *driver_version >= 13000 ? names : names.last(1));
}

Result<CuptiApi> load_cupti(void* library) {
  CuptiApi api;
#define WATTUNE_CUPTI_LOAD(function, Params, last)                                    \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #function)); \
  if (api.function == nullptr)                                                        \
    return Error(ErrorCode::unavailable, "CUPTI has no function " #function).hint("install CUPTI 12.6 or newer");
  WATTUNE_CUPTI_FUNCTIONS(WATTUNE_CUPTI_LOAD)
  WATTUNE_CUPTI_LOAD(cuptiGetResultString, , )
#undef WATTUNE_CUPTI_LOAD
  return api;
}

Result<CuptiApi> load_first(std::optional<int> driver_version) {
  Error reason = Error(ErrorCode::unavailable, "CUPTI, which reads hardware counters, was not found")
                     .hint("install CUDA's toolkit (libcupti.so.12 or .13), or let CUDA_HOME name its folder");
  for (const std::string& file : cupti_candidates(driver_version)) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed, like the driver
    if (library == nullptr) continue;
    Result<CuptiApi> api = load_cupti(library);
    if (api) return api;
    reason = std::move(api).error();
  }
  return reason;
}

}  // namespace

Result<const CuptiApi*> cupti_api(std::optional<int> driver_version) {
  static const Result<CuptiApi> loaded = load_first(driver_version);
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace wattune::backend::cuda
