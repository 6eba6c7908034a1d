#include "backend/cuda/cuda_error.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::backend::cuda {

namespace {

ErrorCode meaning(CUresult code) {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: return ErrorCode::unavailable;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_SOURCE: return ErrorCode::compile_failed;
    case CUDA_ERROR_NOT_FOUND: return ErrorCode::not_found;
    // A kernel or the device failed in a way that breaks the context for good.
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN: return ErrorCode::device_lost;
    // All other codes mean that the driver refused the work: too many resources, a value out of range.
    default: return ErrorCode::launch_failed;
  }
}

// Returns advice for the user; empty if there is none.
std::string advice(const CuApi& cu, CUresult code) {
  switch (code) {
    case CUDA_ERROR_NO_DEVICE: return "see whether nvidia-smi lists a GPU, and whether CUDA_VISIBLE_DEVICES hides it";
    case CUDA_ERROR_STUB_LIBRARY: return "a stub of libcuda was found first: take its folder out of LD_LIBRARY_PATH";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "libcuda and the kernel module differ in version: restart the system";
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return "the code was compiled for another architecture than this device's";
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return fmt::format(
          "the compiler may be newer than the driver, which supports CUDA {}: install a newer driver, or "
          "let CUDA_HOME name a toolkit of at most that version",
          version_text(cu.version));
    default: return {};
  }
}

std::string_view nvrtc_name(nvrtcResult code) {
  switch (code) {
    case NVRTC_ERROR_OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION: return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default: return "NVRTC_ERROR";
  }
}

std::string advice(CUptiResult code) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "only administrators may read counters here: load NVIDIA's kernel module with "
             "NVreg_RestrictProfilingToAdminUsers=0, or give the process CAP_SYS_ADMIN";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "the host must allow this virtual GPU to be profiled";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another profiler holds the counters: ncu, nsys, or DCGM (dcgmi profile --pause)";
    default: return {};
  }
}

}  // namespace

Error cu_error(const CuApi& cu, CUresult code, std::string_view doing) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cu.cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) name = "CUDA_ERROR";
  const bool explained = cu.cuGetErrorString(code, &text) == CUDA_SUCCESS && text != nullptr;
  return Error(meaning(code), explained ? fmt::format("{} failed: {}", doing, text) : fmt::format("{} failed", doing))
      .native(code, name)
      .hint(advice(cu, code));
}

Error nvrtc_error(nvrtcResult code, std::string_view doing) {
  Error error(code == NVRTC_ERROR_OUT_OF_MEMORY ? ErrorCode::unavailable : ErrorCode::compile_failed,
              fmt::format("{} failed", doing));
  if (code == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    error = std::move(error).hint("NVRTC did not find libnvrtc-builtins, which belongs beside it");
  return std::move(error).native(code, std::string(nvrtc_name(code)));
}

Error cupti_error(const CuptiApi& cupti, CUptiResult code, std::string_view doing) {
  const char* name = nullptr;
  if (cupti.cuptiGetResultString(code, &name) != CUPTI_SUCCESS || name == nullptr) name = "CUPTI_ERROR";
  return Error(ErrorCode::unavailable, fmt::format("{} failed", doing)).native(code, name).hint(advice(code));
}

}  // namespace wattune::backend::cuda
