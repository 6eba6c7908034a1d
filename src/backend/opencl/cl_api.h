// The OpenCL functions that Wattune calls. They are loaded at run time, so that programs start on machines without
// OpenCL.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend::opencl {

#define WATTUNE_CL_FUNCTIONS(X)   \
  X(clBuildProgram)               \
  X(clCreateBuffer)               \
  X(clCreateCommandQueue)         \
  X(clCreateContext)              \
  X(clCreateImage)                \
  X(clCreateKernel)               \
  X(clCreateProgramWithBinary)    \
  X(clCreateProgramWithSource)    \
  X(clCreateSampler)              \
  X(clCreateSubBuffer)            \
  X(clEnqueueBarrierWithWaitList) \
  X(clEnqueueCopyBuffer)          \
  X(clEnqueueCopyImage)           \
  X(clEnqueueFillBuffer)          \
  X(clEnqueueMarkerWithWaitList)  \
  X(clEnqueueNDRangeKernel)       \
  X(clEnqueueReadBuffer)          \
  X(clEnqueueReadImage)           \
  X(clEnqueueWriteBuffer)         \
  X(clEnqueueWriteImage)          \
  X(clFlush)                      \
  X(clGetCommandQueueInfo)        \
  X(clGetContextInfo)             \
  X(clGetDeviceIDs)               \
  X(clGetDeviceInfo)              \
  X(clGetEventInfo)               \
  X(clGetEventProfilingInfo)      \
  X(clGetKernelArgInfo)           \
  X(clGetKernelInfo)              \
  X(clGetKernelWorkGroupInfo)     \
  X(clGetMemObjectInfo)           \
  X(clGetPlatformIDs)             \
  X(clGetPlatformInfo)            \
  X(clGetProgramBuildInfo)        \
  X(clGetProgramInfo)             \
  X(clReleaseCommandQueue)        \
  X(clReleaseContext)             \
  X(clReleaseEvent)               \
  X(clReleaseKernel)              \
  X(clReleaseMemObject)           \
  X(clReleaseProgram)             \
  X(clReleaseSampler)             \
  X(clRetainCommandQueue)         \
  X(clRetainContext)              \
  X(clRetainMemObject)            \
  X(clSetKernelArg)

struct ClApi {
#define WATTUNE_CL_MEMBER(function) decltype(&::function) function = nullptr;
  WATTUNE_CL_FUNCTIONS(WATTUNE_CL_MEMBER)
#undef WATTUNE_CL_MEMBER
};

// Returns the loaded functions, the same for the whole process. Fails with unavailable, saying what to install.
Result<const ClApi*> cl_api();

}  // namespace wattune::backend::opencl
