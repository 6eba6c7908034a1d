// The CUDA driver as an application calls it, without Wattune: its own context, memory, streams and kernels.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/cuda/cu_api.h"

namespace wattune::test {

using backend::cuda::CUcontext;
using backend::cuda::CUdevice;
using backend::cuda::CUdeviceptr;
using backend::cuda::CUfunction;
using backend::cuda::CUgraph;
using backend::cuda::CUgraphExec;
using backend::cuda::CUmodule;
using backend::cuda::CUresult;
using backend::cuda::CUstream;
using backend::cuda::CUstreamCaptureMode;

// A kernel that adds to floats. The tests' stand-in for the driver reads the comment.
inline constexpr char kRaise[] = R"(.version 7.0
/*
kernel raise raise 8 4 4
*/
.target sm_75
.address_size 64
.visible .entry raise(.param .u64 raise_x, .param .f32 raise_by, .param .u32 raise_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [raise_x];
  ld.param.f32 %f1, [raise_by];
  ld.param.u32 %r1, [raise_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %d2, %d1;
  mul.wide.u32 %d3, %r5, 4;
  add.s64 %d4, %d2, %d3;
  ld.global.f32 %f2, [%d4];
  add.f32 %f3, %f2, %f1;
  st.global.f32 [%d4], %f3;
DONE:
  ret;
}
)";

// Functions that Wattune does not call.
#define WATTUNE_APPLICATION_FUNCTIONS(X)                                                                            \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                          \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                     \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                     \
  X(cuModuleLoadData, cuModuleLoadData, (CUmodule * module, const void* image))                                     \
  X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))           \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr to, const void* from, std::size_t bytes))                           \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void* to, CUdeviceptr from, std::size_t bytes))                                 \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                     \
  X(cuStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                     \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags)) \
  X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                              \
  X(cuGraphDestroy, cuGraphDestroy, (CUgraph graph))                                                                \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec))                                                     \
  X(cuLaunchKernel, cuLaunchKernel,                                                                                 \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,    \
     unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))

struct RawCuda : backend::cuda::CuApi {
#define WATTUNE_APPLICATION_MEMBER(function, symbol, parameters) CUresult(*function) parameters = nullptr;
  WATTUNE_APPLICATION_FUNCTIONS(WATTUNE_APPLICATION_MEMBER)
#undef WATTUNE_APPLICATION_MEMBER
};

// Returns the functions of the library that Wattune loads too. Throws if there is none.
inline const RawCuda& raw_cuda() {
  static const RawCuda raw = [] {
    RawCuda all{*backend::cuda::cu_api().value()};
    const char* const chosen = std::getenv("WATTUNE_LIBCUDA");
    void* const library = dlopen(chosen != nullptr ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#define WATTUNE_APPLICATION_LOAD(function, symbol, parameters) \
  all.function = reinterpret_cast<decltype(all.function)>(dlsym(library, #symbol));
    WATTUNE_APPLICATION_FUNCTIONS(WATTUNE_APPLICATION_LOAD)
#undef WATTUNE_APPLICATION_LOAD
    return all;
  }();
  return raw;
}

inline void succeed(CUresult code) {
  if (code != 0) throw std::runtime_error("the driver answered " + std::to_string(code));
}

inline CUcontext current_context() {
  CUcontext context = nullptr;
  succeed(raw_cuda().cuCtxGetCurrent(&context));
  return context;
}

// An application's memory, stream and kernel in the context that is current at its construction. Its streams and memory
// must outlive all objects made from them.
class Application {
 public:
  explicit Application(std::span<const float> values, unsigned stream_flags = 0) : n_(static_cast<int>(values.size())) {
    succeed(cu_.cuMemAlloc(&x_, values.size_bytes()));
    succeed(cu_.cuMemcpyHtoD(x_, values.data(), values.size_bytes()));
    succeed(cu_.cuStreamCreate(&stream_, stream_flags));
    succeed(cu_.cuModuleLoadData(&module_, kRaise));
    succeed(cu_.cuModuleGetFunction(&raise_, module_, "raise"));
    // Waits until the memory is written, because a non-blocking stream does not wait for it.
    succeed(cu_.cuStreamSynchronize(nullptr));
  }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  ~Application() {
    cu_.cuModuleUnload(module_);
    cu_.cuStreamDestroy(stream_);
    cu_.cuMemFree(x_);
  }

  CUdeviceptr x() const { return x_; }
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(float); }
  CUstream stream() const { return stream_; }

  // Runs its own kernel in a stream.
  void raise(float by, CUstream stream) {
    void* parameters[] = {&x_, &by, &n_};
    const auto blocks = static_cast<unsigned>(n_ + 255) / 256;
    succeed(cu_.cuLaunchKernel(raise_, blocks, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr));
  }

  std::vector<float> values(CUstream stream) const {
    std::vector<float> values(static_cast<std::size_t>(n_));
    succeed(cu_.cuStreamSynchronize(stream));
    succeed(cu_.cuMemcpyDtoH(values.data(), x_, bytes()));
    return values;
  }

 private:
  const RawCuda& cu_ = raw_cuda();
  int n_;
  CUdeviceptr x_ = 0;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction raise_ = nullptr;
};

}  // namespace wattune::test
