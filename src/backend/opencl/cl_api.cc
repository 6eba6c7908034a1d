#include "backend/opencl/cl_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace wattune::inline v0_1::backend::opencl {

namespace {

// Loads OpenCL's loader. It is never closed, because drivers leave threads and exit handlers behind.
void* open_loader(std::string& reason) {
  for (const char* name : {"libOpenCL.so.1", "libOpenCL.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    if (reason.empty()) reason = dlerror();
  }
  return nullptr;
}

Result<ClApi> load() {
  std::string reason;
  void* library = open_loader(reason);
  if (library == nullptr)
    return Error(ErrorCode::unavailable, fmt::format("the OpenCL loader cannot be loaded: {}", reason))
        .hint(
            "install one, on Debian the package ocl-icd-libopencl1, and a driver, such as pocl-opencl-icd for the CPU");
  ClApi api;
#define WATTUNE_CL_LOAD(function)                                                        \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #function));    \
  if (api.function == nullptr)                                                           \
    return Error(ErrorCode::unavailable, "the OpenCL loader has no function " #function) \
        .hint("OpenCL 1.2 or newer is needed");
  WATTUNE_CL_FUNCTIONS(WATTUNE_CL_LOAD)
#undef WATTUNE_CL_LOAD
  return api;
}

}  // namespace

Result<const ClApi*> cl_api() {
  static const Result<ClApi> loaded = load();
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace wattune::backend::opencl
