// The part of the CUDA driver API that Wattune calls. It is declared here, so that Wattune builds without CUDA's
// toolkit, and loaded at run time, so that programs start without a driver. Names, values and layouts are those of
// NVIDIA's "CUDA Driver API" reference, version 12.4, which is the oldest driver with all of these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wattune/core/result.h"

// Global types, as NVIDIA's are, so that an application's handles can be passed unchanged.
// NOLINTBEGIN(readability-identifier-naming)
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUarray_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUgreenCtx_st;
struct CUdevResourceDesc_st;
// NOLINTEND(readability-identifier-naming)

namespace wattune::inline v0_1::backend::cuda {

using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = CUctx_st*;
using CUmodule = CUmod_st*;
using CUfunction = CUfunc_st*;
using CUstream = CUstream_st*;
using CUevent = CUevent_st*;
using CUarray = CUarray_st*;
using CUgraph = CUgraph_st*;
using CUgraphNode = CUgraphNode_st*;
using CUgraphExec = CUgraphExec_st*;
using CUgreenCtx = CUgreenCtx_st*;
using CUdevResourceDesc = CUdevResourceDesc_st*;
enum class CUtexObject : std::uint64_t {};
enum class CUsurfObject : std::uint64_t {};

// Results are ints, because newer drivers return values that are not listed here.
using CUresult = int;
inline constexpr CUresult CUDA_SUCCESS = 0;
inline constexpr CUresult CUDA_ERROR_INVALID_VALUE = 1;
inline constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
inline constexpr CUresult CUDA_ERROR_NOT_INITIALIZED = 3;
inline constexpr CUresult CUDA_ERROR_DEINITIALIZED = 4;
inline constexpr CUresult CUDA_ERROR_STUB_LIBRARY = 34;
inline constexpr CUresult CUDA_ERROR_DEVICE_UNAVAILABLE = 46;
inline constexpr CUresult CUDA_ERROR_NO_DEVICE = 100;
inline constexpr CUresult CUDA_ERROR_INVALID_IMAGE = 200;
inline constexpr CUresult CUDA_ERROR_INVALID_CONTEXT = 201;
inline constexpr CUresult CUDA_ERROR_NO_BINARY_FOR_GPU = 209;
inline constexpr CUresult CUDA_ERROR_INVALID_PTX = 218;
inline constexpr CUresult CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221;
inline constexpr CUresult CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222;
inline constexpr CUresult CUDA_ERROR_INVALID_SOURCE = 300;
inline constexpr CUresult CUDA_ERROR_INVALID_HANDLE = 400;
inline constexpr CUresult CUDA_ERROR_NOT_FOUND = 500;
inline constexpr CUresult CUDA_ERROR_NOT_READY = 600;
inline constexpr CUresult CUDA_ERROR_ILLEGAL_ADDRESS = 700;
inline constexpr CUresult CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701;
inline constexpr CUresult CUDA_ERROR_LAUNCH_TIMEOUT = 702;
inline constexpr CUresult CUDA_ERROR_CONTEXT_IS_DESTROYED = 709;
inline constexpr CUresult CUDA_ERROR_ASSERT = 710;
inline constexpr CUresult CUDA_ERROR_HARDWARE_STACK_ERROR = 714;
inline constexpr CUresult CUDA_ERROR_ILLEGAL_INSTRUCTION = 715;
inline constexpr CUresult CUDA_ERROR_MISALIGNED_ADDRESS = 716;
inline constexpr CUresult CUDA_ERROR_INVALID_ADDRESS_SPACE = 717;
inline constexpr CUresult CUDA_ERROR_INVALID_PC = 718;
inline constexpr CUresult CUDA_ERROR_LAUNCH_FAILED = 719;
inline constexpr CUresult CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720;
inline constexpr CUresult CUDA_ERROR_NOT_SUPPORTED = 801;
inline constexpr CUresult CUDA_ERROR_SYSTEM_NOT_READY = 802;
inline constexpr CUresult CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803;
inline constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900;
inline constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901;
inline constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906;
inline constexpr CUresult CUDA_ERROR_INVALID_CLUSTER_SIZE = 912;
inline constexpr CUresult CUDA_ERROR_ECC_UNCORRECTABLE = 214;
inline constexpr CUresult CUDA_ERROR_UNKNOWN = 999;

// NOLINTBEGIN(readability-identifier-naming): the names are those of the driver's documentation.
enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,  // the values for _Y and _Z follow
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,  // kilohertz
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,  // CUDA 12.5 and later
};

enum CUpointer_attribute : int { CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_POINTER_ATTRIBUTE_BUFFER_ID = 7 };

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,  // percent of the largest possible size
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

enum CUjit_option : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

inline constexpr unsigned CU_MEMHOSTALLOC_DEVICEMAP = 2;
inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned CU_STREAM_WAIT_VALUE_GEQ = 0;

enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};

enum CUstreamCaptureMode : int {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};

enum CUgraphNodeType : int { CU_GRAPH_NODE_TYPE_KERNEL = 0 };

struct CUDA_KERNEL_NODE_PARAMS {  // this is the struct _v2
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  void* kern;  // nullptr if func names the kernel
  CUcontext ctx;
};
static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == 72);

enum CUlaunchAttributeID : int {
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
};

union CUlaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  std::uint64_t alignment;  // the alignment of the members that are not declared here
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
};
static_assert(sizeof(CUlaunchAttribute) == 72);

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};

enum CUarray_format : int {
  CU_AD_FORMAT_UNSIGNED_INT8 = 1,
  CU_AD_FORMAT_UNSIGNED_INT16 = 2,
  CU_AD_FORMAT_UNSIGNED_INT32 = 3,
  CU_AD_FORMAT_SIGNED_INT8 = 8,
  CU_AD_FORMAT_SIGNED_INT16 = 9,
  CU_AD_FORMAT_SIGNED_INT32 = 10,
  CU_AD_FORMAT_HALF = 16,
  CU_AD_FORMAT_FLOAT = 32,
};

inline constexpr unsigned CUDA_ARRAY3D_SURFACE_LDST = 2;

struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t Width, Height, Depth;  // a height or depth of 0 means that the array has fewer dimensions
  CUarray_format Format;
  unsigned NumChannels;
  unsigned Flags;
};

enum CUmemorytype : int { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3 };

struct CUDA_MEMCPY3D {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUDA_MEMCPY3D) == 200);

enum CUresourcetype : int { CU_RESOURCE_TYPE_ARRAY = 0, CU_RESOURCE_TYPE_LINEAR = 2 };

struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      std::size_t sizeInBytes;
    } linear;
    int reserved[32];
  } res;
  unsigned flags;
};
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144);

enum CUaddress_mode : int {
  CU_TR_ADDRESS_MODE_WRAP = 0,
  CU_TR_ADDRESS_MODE_CLAMP = 1,
  CU_TR_ADDRESS_MODE_MIRROR = 2,
  CU_TR_ADDRESS_MODE_BORDER = 3,
};

enum CUfilter_mode : int { CU_TR_FILTER_MODE_POINT = 0, CU_TR_FILTER_MODE_LINEAR = 1 };

inline constexpr unsigned CU_TRSF_READ_AS_INTEGER = 1;
inline constexpr unsigned CU_TRSF_NORMALIZED_COORDINATES = 2;

struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};
static_assert(sizeof(CUDA_TEXTURE_DESC) == 104);
// Green contexts, in which kernels run on some of the multiprocessors. Layouts are those of CUDA 12.4 and later.
enum CUdevResourceType : int { CU_DEV_RESOURCE_TYPE_SM = 1 };

struct CUdevResource {
  CUdevResourceType type;
  unsigned char _internal_padding[92];
  union {
    struct {
      unsigned smCount;
    } sm;
    unsigned char _oversize[48];
  };
};
static_assert(sizeof(CUdevResource) == 144);

inline constexpr unsigned CU_GREEN_CTX_DEFAULT_STREAM = 1;
// NOLINTEND(readability-identifier-naming)

// Functions that drivers may lack although they are 12.4 or newer, in the form of the list below.
#define WATTUNE_CU_GREEN_FUNCTIONS(X)                                                                          \
  X(cuDeviceGetDevResource, cuDeviceGetDevResource,                                                            \
    (CUdevice device, CUdevResource * resource, CUdevResourceType type))                                       \
  X(cuDevSmResourceSplitByCount, cuDevSmResourceSplitByCount,                                                  \
    (CUdevResource * groups, unsigned* count, const CUdevResource* input, CUdevResource* rest, unsigned flags, \
     unsigned least))                                                                                          \
  X(cuDevResourceGenerateDesc, cuDevResourceGenerateDesc,                                                      \
    (CUdevResourceDesc * description, CUdevResource * resources, unsigned count))                              \
  X(cuGreenCtxCreate, cuGreenCtxCreate,                                                                        \
    (CUgreenCtx * context, CUdevResourceDesc description, CUdevice device, unsigned flags))                    \
  X(cuGreenCtxDestroy, cuGreenCtxDestroy, (CUgreenCtx context))                                                \
  X(cuGreenCtxStreamCreate, cuGreenCtxStreamCreate,                                                            \
    (CUstream * stream, CUgreenCtx context, unsigned flags, int priority))

// The functions: their names in CuApi, their symbols in libcuda (the version of this declaration), their parameters.
#define WATTUNE_CU_FUNCTIONS(X)                                                                                        \
  X(cuInit, cuInit, (unsigned flags))                                                                                  \
  X(cuDriverGetVersion, cuDriverGetVersion, (int* version))                                                            \
  X(cuGetErrorName, cuGetErrorName, (CUresult error, const char** name))                                               \
  X(cuGetErrorString, cuGetErrorString, (CUresult error, const char** text))                                           \
  X(cuDeviceGetCount, cuDeviceGetCount, (int* count))                                                                  \
  X(cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                                                        \
  X(cuDeviceGetName, cuDeviceGetName, (char* name, int length, CUdevice device))                                       \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))           \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, (char* bus_id, int length, CUdevice device))                             \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t * bytes, CUdevice device))                                     \
  X(cuCtxCreate, cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))                               \
  X(cuCtxDestroy, cuCtxDestroy_v2, (CUcontext context))                                                                \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                        \
  X(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, (CUdevice device, unsigned* flags, int* active))           \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                        \
  X(cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                                                           \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context))                                                        \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext * context))                                                        \
  X(cuCtxGetDevice, cuCtxGetDevice, (CUdevice * device))                                                               \
  X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode))                \
  X(cuPointerGetAttribute, cuPointerGetAttribute, (void* value, CUpointer_attribute attribute, CUdeviceptr pointer))   \
  X(cuMemGetInfo, cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                                          \
  X(cuMemGetAddressRange, cuMemGetAddressRange_v2, (CUdeviceptr * base, std::size_t * bytes, CUdeviceptr pointer))     \
  X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * pointer, std::size_t bytes))                                             \
  X(cuMemFree, cuMemFree_v2, (CUdeviceptr pointer))                                                                    \
  X(cuMemHostAlloc, cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned flags))                               \
  X(cuMemFreeHost, cuMemFreeHost, (void* pointer))                                                                     \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))   \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))         \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))   \
  X(cuMemsetD8Async, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream))       \
  X(cuArray3DCreate, cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR* description))                \
  X(cuArrayDestroy, cuArrayDestroy, (CUarray array))                                                                   \
  X(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D* copy, CUstream stream))                                 \
  X(cuTexObjectCreate, cuTexObjectCreate,                                                                              \
    (CUtexObject * texture, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* description,                  \
     const void* view))                                                                                                \
  X(cuTexObjectDestroy, cuTexObjectDestroy, (CUtexObject texture))                                                     \
  X(cuSurfObjectCreate, cuSurfObjectCreate, (CUsurfObject * surface, const CUDA_RESOURCE_DESC* resource))              \
  X(cuSurfObjectDestroy, cuSurfObjectDestroy, (CUsurfObject surface))                                                  \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx,                                                                            \
    (CUmodule * module, const void* image, unsigned count, CUjit_option* options, void** values))                      \
  X(cuModuleUnload, cuModuleUnload, (CUmodule module))                                                                 \
  X(cuModuleGetFunctionCount, cuModuleGetFunctionCount, (unsigned* count, CUmodule module))                            \
  X(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, (CUfunction * functions, unsigned count, CUmodule module)) \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2,                                                                           \
    (CUdeviceptr * pointer, std::size_t * bytes, CUmodule module, const char* name))                                   \
  X(cuFuncGetName, cuFuncGetName, (const char** name, CUfunction function))                                            \
  X(cuFuncLoad, cuFuncLoad, (CUfunction function))                                                                     \
  X(cuFuncGetParamInfo, cuFuncGetParamInfo,                                                                            \
    (CUfunction function, std::size_t index, std::size_t * offset, std::size_t * bytes))                               \
  X(cuFuncGetAttribute, cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function))         \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,                          \
    (int* blocks, CUfunction function, int block_size, std::size_t dynamic_bytes))                                     \
  X(cuLaunchKernelEx, cuLaunchKernelEx,                                                                                \
    (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra))                              \
  X(cuStreamCreate, cuStreamCreate, (CUstream * stream, unsigned flags))                                               \
  X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))         \
  X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                                            \
  X(cuStreamGetCtx, cuStreamGetCtx, (CUstream stream, CUcontext * context))                                            \
  X(cuStreamQuery, cuStreamQuery, (CUstream stream))                                                                   \
  X(cuStreamIsCapturing, cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                       \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                        \
  X(cuStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                        \
  X(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))                                                       \
  X(cuStreamWaitValue32, cuStreamWaitValue32_v2,                                                                       \
    (CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned flags))                                       \
  X(cuStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                            \
  X(cuGraphGetNodes, cuGraphGetNodes, (CUgraph graph, CUgraphNode * nodes, std::size_t * count))                       \
  X(cuGraphNodeGetType, cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType * type))                                \
  X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS * launch))   \
  X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2,                                                 \
    (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* launch))                                 \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags,                                                                   \
    (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                                               \
  X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec executable, CUstream stream))                                           \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec executable))                                                  \
  X(cuGraphDestroy, cuGraphDestroy, (CUgraph graph))                                                                   \
  X(cuEventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                                   \
  X(cuEventDestroy, cuEventDestroy_v2, (CUevent event))                                                                \
  X(cuEventQuery, cuEventQuery, (CUevent event))                                                                       \
  X(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                                    \
  X(cuEventElapsedTime, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))

struct CuApi {
#define WATTUNE_CU_MEMBER(function, symbol, parameters) CUresult(*function) parameters = nullptr;
  WATTUNE_CU_FUNCTIONS(WATTUNE_CU_MEMBER)
  // Holds the functions of the list above as members; they are nullptr if the driver is too old for them.
  WATTUNE_CU_GREEN_FUNCTIONS(WATTUNE_CU_MEMBER)
#undef WATTUNE_CU_MEMBER
  int version = 0;  // newest CUDA that the driver supports: 12040 is 12.4
};

// Returns the loaded and initialised driver, the same for the whole process. Fails with unavailable, saying what to do,
// if there is no driver, if it is too old, or if there is no GPU. WATTUNE_LIBCUDA names another file than libcuda.so.1.
Result<const CuApi*> cu_api();
// Returns the driver if it has been loaded before, else nullptr. It is for callers that have nothing to do without
// CUDA.
const CuApi* loaded_cu_api();

// Returns "12.4" for 12040.
std::string version_text(int version);

}  // namespace wattune::backend::cuda
