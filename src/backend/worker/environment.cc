#include "backend/interface/environment.h"

#include <unistd.h>

#include <algorithm>

namespace wattune::inline v0_1::backend::worker {

namespace {

constexpr std::string_view kPassedNames[] = {
    // variables of the user's session
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "PWD", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER",
    // variables of compilers and of programs that wrap them
    "CC", "CCACHE_BASEDIR", "CCACHE_CONFIGPATH", "CCACHE_DIR", "CCACHE_DISABLE", "CCACHE_TEMPDIR", "COMPILER_PATH",
    "CPATH", "CPLUS_INCLUDE_PATH", "CXX", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH", "SOURCE_DATE_EPOCH",
    // variables of Python's environments
    "CONDA_BUILD_SYSROOT", "CONDA_PREFIX", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV",
    // variables of libraries
    "ASAN_OPTIONS", "ASAN_SYMBOLIZER_PATH", "DISPLAY", "GLIBC_TUNABLES", "LLVM_PROFILE_FILE", "LSAN_OPTIONS",
    "MSAN_OPTIONS", "NEOReadDebugKeys", "TBB_NUM_THREADS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "UBSAN_SYMBOLIZER_PATH",
    "XDG_CACHE_HOME"};

constexpr std::string_view kPassedBeginnings[] = {
    "AMD_",      "BLIS_",   "CL_",     "CUDA_", "CUPTI_", "GOMP_",    "GPU_",  "HIP_",     "HSA_",   "IGC_", "KMP_",
    "LC_",       "LD_",     "MALLOC_", "MESA_", "MKL_",   "NIX_",     "NVCC_", "NVIDIA_",  "NVRTC_", "OCL_", "OMP_",
    "OPENBLAS_", "OPENCL_", "POCL_",   "ROCM_", "ROCR_",  "RUSTICL_", "SYCL_", "WATTUNE_", "ZE_"};

// Words in the names of variables that hold secrets, such as NVIDIA_API_KEY.
constexpr std::string_view kSecretWords[] = {"AUTH", "CREDENTIAL", "KEY", "PASS", "SECRET", "TOKEN"};

}  // namespace

bool is_passed(std::string_view name) {
  if (std::ranges::count(kPassedNames, name) > 0) return true;
  return std::ranges::any_of(kPassedBeginnings, [&](std::string_view each) { return name.starts_with(each); }) &&
         std::ranges::none_of(kSecretWords, [&](std::string_view each) { return name.find(each) != name.npos; });
}

std::vector<std::string> passed_environment(const std::vector<std::string>& named) {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string variable = *each;
    const std::string name = variable.substr(0, variable.find('='));
    if (is_passed(name) || std::ranges::count(named, name) > 0) variables.push_back(variable);
  }
  return variables;
}

}  // namespace wattune::backend::worker
