// Calls of the stand-in for libcuda.so.1 that applications use and Wattune does not. They serve the tests' own kernels
// between Wattune's, and the launches that a launch through the library is compared with
// (lab/perf/launch_overhead.cc).
#include "fakes/cuda/fake_driver.h"

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  WATTUNE_UNLESS_BROKEN();
  *module = make_module(static_cast<const char*>(image));
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* result, CUmodule module, const char* name) {
  WATTUNE_UNLESS_BROKEN();
  for (const std::unique_ptr<CUfunc_st>& function : module->functions)
    if (function->description.symbol == name) return *result = function.get(), CUDA_SUCCESS;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                        void** extra) {
  const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

}  // extern "C"
