// The part of NVRTC, CUDA's compiler as a library, that Wattune calls. It is declared and loaded like the driver
// (cu_api.h). Names and values are those of NVIDIA's "NVRTC" reference, version 11.2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend::cuda {

using nvrtcProgram = struct _nvrtcProgram*;

using nvrtcResult = int;
inline constexpr nvrtcResult NVRTC_SUCCESS = 0;
inline constexpr nvrtcResult NVRTC_ERROR_OUT_OF_MEMORY = 1;
inline constexpr nvrtcResult NVRTC_ERROR_INVALID_OPTION = 5;
inline constexpr nvrtcResult NVRTC_ERROR_COMPILATION = 6;
inline constexpr nvrtcResult NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7;
inline constexpr nvrtcResult NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10;

#define WATTUNE_NVRTC_FUNCTIONS(X)                                                                       \
  X(nvrtcVersion, (int* major, int* minor))                                                              \
  X(nvrtcGetNumSupportedArchs, (int* count))                                                             \
  X(nvrtcGetSupportedArchs, (int* architectures))                                                        \
  X(nvrtcCreateProgram, (nvrtcProgram * program, const char* source, const char* name, int header_count, \
                         const char* const* headers, const char* const* header_names))                   \
  X(nvrtcDestroyProgram, (nvrtcProgram * program))                                                       \
  X(nvrtcCompileProgram, (nvrtcProgram program, int option_count, const char* const* options))           \
  X(nvrtcAddNameExpression, (nvrtcProgram program, const char* expression))                              \
  X(nvrtcGetLoweredName, (nvrtcProgram program, const char* expression, const char** name))              \
  X(nvrtcGetProgramLogSize, (nvrtcProgram program, std::size_t * size))                                  \
  X(nvrtcGetProgramLog, (nvrtcProgram program, char* log))                                               \
  X(nvrtcGetPTXSize, (nvrtcProgram program, std::size_t * size))                                         \
  X(nvrtcGetPTX, (nvrtcProgram program, char* ptx))                                                      \
  X(nvrtcGetCUBINSize, (nvrtcProgram program, std::size_t * size))                                       \
  X(nvrtcGetCUBIN, (nvrtcProgram program, char* cubin))

struct NvrtcApi {
#define WATTUNE_NVRTC_MEMBER(function, parameters) nvrtcResult(*function) parameters = nullptr;
  WATTUNE_NVRTC_FUNCTIONS(WATTUNE_NVRTC_MEMBER)
#undef WATTUNE_NVRTC_MEMBER
  int version = 0;   // version of NVRTC in the driver's numbering: 13000 is 13.0
  std::string file;  // the loaded file to which symbolic links lead
};

// Returns NVRTC, the same for the whole process. It is the newest NVRTC whose code `driver_version` can load (nullopt
// for the newest of all). If there is no such NVRTC, it is the oldest that exists. Searches WATTUNE_LIBNVRTC, the
// loader's search path, CUDA_HOME, CUDA_PATH and /usr/local/cuda. Fails with unavailable, saying what to install.
Result<const NvrtcApi*> nvrtc_api(std::optional<int> driver_version = {});

}  // namespace wattune::backend::cuda
