#include "backend/cuda/nvrtc_api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "backend/cuda/cu_api.h"
#include "backend/cuda/toolkit.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNvrtcLibraries[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};

// Returns the files to try, in the order of trying.
std::vector<std::string> nvrtc_candidates() {
  if (const char* const file = std::getenv("WATTUNE_LIBNVRTC")) return {file};
  return library_candidates(kNvrtcLibraries);
}

// Returns the file to which symbolic links lead. Its name contains NVRTC's build: libnvrtc.so.12.4.127.
std::string real_file(const void* function, const std::string& asked) {
  Dl_info found{};
  if (dladdr(function, &found) == 0 || found.dli_fname == nullptr) return asked;
  std::error_code failed;
  const fs::path file = fs::canonical(found.dli_fname, failed);
  return failed ? asked : file.string();
}

// Loads NVRTC. Returns nullopt if the file is not a usable NVRTC.
std::optional<NvrtcApi> load_nvrtc(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed, like the driver
  if (library == nullptr) return std::nullopt;
  NvrtcApi api;
#define WATTUNE_NVRTC_LOAD(function, parameters)                                      \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #function)); \
  if (api.function == nullptr) return std::nullopt;
  WATTUNE_NVRTC_FUNCTIONS(WATTUNE_NVRTC_LOAD)
#undef WATTUNE_NVRTC_LOAD
  int major = 0;
  int minor = 0;
  if (api.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return std::nullopt;
  api.version = major * 1000 + minor * 10;
  api.file = real_file(reinterpret_cast<const void*>(api.nvrtcVersion), file);
  return api;
}

// True if the driver loads the code that this NVRTC makes: NVRTC has the driver's major version or an older one.
bool loadable(const NvrtcApi& api, std::optional<int> driver_version) {
  return !driver_version || api.version / 1000 <= *driver_version / 1000;
}

Result<NvrtcApi> load_best(std::optional<int> driver_version) {
  std::optional<NvrtcApi> best;
  for (const std::string& file : nvrtc_candidates()) {
    std::optional<NvrtcApi> api = load_nvrtc(file);
    if (!api) continue;
    if (loadable(*api, driver_version)) return *std::move(api);
    if (!best || api->version < best->version) best = std::move(api);
  }
  if (best) return *std::move(best);
  return Error(ErrorCode::unavailable, "NVRTC, CUDA's compiler, was not found")
      .hint("install CUDA's toolkit (libnvrtc.so.11.2, .12 or .13), or let CUDA_HOME name its folder");
}

}  // namespace

Result<const NvrtcApi*> nvrtc_api(std::optional<int> driver_version) {
  static const Result<NvrtcApi> loaded = load_best(driver_version);
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace wattune::backend::cuda
