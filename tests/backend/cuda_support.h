// Stand-ins for CUDA's driver and compiler, chosen before a test loads either, and kernels for them.
#pragma once

#include <cstdlib>
#include <string>

#include "backend/support.h"
#include "programs.h"

namespace wattune::inline v0_1::backend {

inline const std::string kLibcuda = test::program("wattune-fake-libcuda.so").string();
inline const std::string kLibnvml = test::program("wattune-fake-libnvml.so").string();
inline const std::string kLibnvrtc = test::program("wattune-fake-libnvrtc.so").string();

// The environment is set before anything loads a driver, which happens once in a process.
inline const bool kStandInsChosen = setenv("WATTUNE_LIBCUDA", kLibcuda.c_str(), 1) == 0 &&
                                    setenv("WATTUNE_LIBNVML", kLibnvml.c_str(), 1) == 0 &&
                                    setenv("WATTUNE_LIBNVRTC", kLibnvrtc.c_str(), 1) == 0;

inline constexpr char kKernels[] = R"(
__constant__ float weights[4];
extern "C" __global__ void scale(float* x, float factor, int n) {}
extern "C" __global__ void overrun(char* x, int n) {}
extern "C" __global__ void weigh(float* x, int n) {}
__global__ void noop() {}
__global__ void illegal() {}
__global__ void misaligned() {}
__global__ void failed_assertion() {}
__global__ void hang() {}
__global__ void too_large() {}
)";

inline KernelSource cuda_source(std::string text, std::string function = "noop") {
  KernelSource source = source_of(std::move(text));
  source.language = Language::cuda;
  source.function = std::move(function);
  return source;
}

}  // namespace wattune::backend
