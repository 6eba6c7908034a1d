// Replacements for the stand-in's own calls in the path of a launch, for a libcuda.so.1 whose calls cost nothing
// (wattune-fake-libcuda-free.so): the remaining time of a call is Wattune's. Nothing is launched, and no time passes.
// The build gives the stand-in's own calls other names.
#undef cuEventCreate
#undef cuEventDestroy_v2
#undef cuEventElapsedTime
#undef cuEventQuery
#undef cuEventRecord
#undef cuLaunchKernel
#undef cuLaunchKernelEx
#undef cuStreamQuery

#include "backend/cuda/cu_api.h"

using namespace wattune::backend::cuda;

extern "C" {

CUresult cuEventCreate(CUevent* event, unsigned) {
  static char any;
  *event = reinterpret_cast<CUevent>(&any);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent) { return CUDA_SUCCESS; }

CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 0.001F;
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent) { return CUDA_SUCCESS; }

CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }

CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void**, void**) {
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) { return CUDA_SUCCESS; }

CUresult cuStreamQuery(CUstream) { return CUDA_SUCCESS; }

}  // extern "C"
