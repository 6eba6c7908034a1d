// The part of CUPTI, CUDA's profiling library, that Wattune calls: the Range Profiler and Profiler Host APIs, which
// read hardware counters. It is declared and loaded as in cu_api.h. Names, values and layouts are those of NVIDIA's
// "CUPTI" reference, version 13.0; they are the same in 12.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backend/cuda/cu_api.h"

namespace wattune::inline v0_1::backend::cuda {

// Results are ints, because newer libraries return values that are not listed here.
using CUptiResult = int;
inline constexpr CUptiResult CUPTI_SUCCESS = 0;
inline constexpr CUptiResult CUPTI_ERROR_INVALID_PARAMETER = 1;
inline constexpr CUptiResult CUPTI_ERROR_INVALID_OPERATION = 7;
inline constexpr CUptiResult CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT = 10;
inline constexpr CUptiResult CUPTI_ERROR_NOT_INITIALIZED = 15;
inline constexpr CUptiResult CUPTI_ERROR_INVALID_METRIC_NAME = 17;
inline constexpr CUptiResult CUPTI_ERROR_HARDWARE_BUSY = 26;
inline constexpr CUptiResult CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35;
inline constexpr CUptiResult CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40;
inline constexpr CUptiResult CUPTI_ERROR_UNKNOWN = 999;

// NOLINTBEGIN(readability-identifier-naming): the names are those of CUPTI's documentation.
using CUpti_Profiler_Host_Object = struct CUpti_Profiler_Host_Object_st;
using CUpti_RangeProfiler_Object = struct CUpti_RangeProfiler_Object_st;

enum CUpti_MetricType : int {
  CUPTI_METRIC_TYPE_COUNTER = 0,
  CUPTI_METRIC_TYPE_RATIO = 1,
  CUPTI_METRIC_TYPE_THROUGHPUT = 2,
};
inline constexpr int CUPTI_PROFILER_TYPE_RANGE_PROFILER = 0;
inline constexpr int CUPTI_UserRange = 2;
inline constexpr int CUPTI_UserReplay = 3;

// The parameters of a function; every function takes one such struct. All structs begin with their size and a pointer
// that stays null.
struct CUpti_Profiler_Initialize_Params {
  std::size_t structSize;
  void* pPriv;
};

struct CUpti_Profiler_DeInitialize_Params {
  std::size_t structSize;
  void* pPriv;
};

// The parameters of a function that is called twice: the first time, without an image, it returns the image's size.
struct CUpti_Profiler_GetCounterAvailability_Params {
  std::size_t structSize;
  void* pPriv;
  CUcontext ctx;
  std::size_t counterAvailabilityImageSize;
  std::uint8_t* pCounterAvailabilityImage;
};

struct CUpti_Device_GetChipName_Params {
  std::size_t structSize;
  void* pPriv;
  std::size_t deviceIndex;
  const char* pChipName;  // out
};

struct CUpti_Profiler_Host_GetSupportedChips_Params {
  std::size_t structSize;
  void* pPriv;
  std::size_t numChips;            // out
  const char* const* ppChipNames;  // out
};

struct CUpti_Profiler_Host_Initialize_Params {
  std::size_t structSize;
  void* pPriv;
  int profilerType;
  const char* pChipName;
  const std::uint8_t* pCounterAvailabilityImage;  // may be null
  CUpti_Profiler_Host_Object* pHostObject;        // out
};

struct CUpti_Profiler_Host_Deinitialize_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
};

struct CUpti_Profiler_Host_GetBaseMetrics_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  CUpti_MetricType metricType;
  const char** ppMetricNames;  // out
  std::size_t numMetrics;      // out
};

struct CUpti_Profiler_Host_GetSubMetrics_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  CUpti_MetricType metricType;
  const char* pMetricName;
  std::size_t numOfSubmetrics;  // out
  const char** ppSubMetrics;    // out
};

struct CUpti_Profiler_Host_GetMetricProperties_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  const char* pMetricName;
  const char* pDescription;     // out
  const char* pHwUnit;          // out
  const char* pDimUnit;         // out
  CUpti_MetricType metricType;  // out
};

struct CUpti_Profiler_Host_ConfigAddMetrics_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  const char** ppMetricNames;
  std::size_t numMetrics;
};

struct CUpti_Profiler_Host_GetConfigImageSize_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  std::size_t configImageSize;  // out
};

struct CUpti_Profiler_Host_GetConfigImage_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  std::size_t configImageSize;
  std::uint8_t* pConfigImage;
};

struct CUpti_Profiler_Host_EvaluateToGpuValues_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  const std::uint8_t* pCounterDataImage;
  std::size_t counterDataImageSize;
  std::size_t rangeIndex;
  const char** ppMetricNames;
  std::size_t numMetrics;
  double* pMetricValues;
};

struct CUpti_RangeProfiler_Enable_Params {
  std::size_t structSize;
  void* pPriv;
  CUcontext ctx;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;  // out
};

struct CUpti_RangeProfiler_Disable_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};

struct CUpti_RangeProfiler_GetCounterDataSize_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  const char** pMetricNames;
  std::size_t numMetrics;
  std::size_t maxNumOfRanges;
  std::uint32_t maxNumRangeTreeNodes;
  std::size_t counterDataSize;  // out
};

struct CUpti_RangeProfiler_CounterDataImage_Initialize_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  std::size_t counterDataSize;
  std::uint8_t* pCounterData;
};

struct CUpti_RangeProfiler_SetConfig_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  std::size_t configSize;
  const std::uint8_t* pConfig;
  std::size_t counterDataImageSize;
  std::uint8_t* pCounterDataImage;
  int range;
  int replayMode;
  std::size_t maxRangesPerPass;
  std::uint16_t numNestingLevels;
  std::uint16_t minNestingLevel;
  std::size_t passIndex;
  std::uint16_t targetNestingLevel;
};

struct CUpti_RangeProfiler_Start_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};

struct CUpti_RangeProfiler_Stop_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  std::size_t passIndex;            // out
  std::size_t targetNestingLevel;   // out
  std::uint8_t isAllPassSubmitted;  // out
};

struct CUpti_RangeProfiler_PushRange_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  const char* pRangeName;
};

struct CUpti_RangeProfiler_PopRange_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};

struct CUpti_RangeProfiler_DecodeData_Params {
  std::size_t structSize;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  std::size_t numOfRangeDropped;  // out
};
// NOLINTEND(readability-identifier-naming)

// The functions: the name, its struct of parameters, and the last member of that struct.
#define WATTUNE_CUPTI_FUNCTIONS(X)                                                                                \
  X(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params, pPriv)                                             \
  X(cuptiProfilerDeInitialize, CUpti_Profiler_DeInitialize_Params, pPriv)                                         \
  X(cuptiProfilerGetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage) \
  X(cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params, pChipName)                                           \
  X(cuptiProfilerHostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames)                \
  X(cuptiProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params, pHostObject)                              \
  X(cuptiProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params, pHostObject)                          \
  X(cuptiProfilerHostGetBaseMetrics, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics)                       \
  X(cuptiProfilerHostGetSubMetrics, CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics)                       \
  X(cuptiProfilerHostGetMetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params, metricType)             \
  X(cuptiProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics)                   \
  X(cuptiProfilerHostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize)          \
  X(cuptiProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage)                     \
  X(cuptiProfilerHostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues)          \
  X(cuptiRangeProfilerEnable, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject)                            \
  X(cuptiRangeProfilerDisable, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject)                          \
  X(cuptiRangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,         \
    pCounterData)                                                                                                 \
  X(cuptiRangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel)                        \
  X(cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject)                              \
  X(cuptiRangeProfilerStop, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted)                                  \
  X(cuptiRangeProfilerPushRange, CUpti_RangeProfiler_PushRange_Params, pRangeName)                                \
  X(cuptiRangeProfilerPopRange, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject)                        \
  X(cuptiRangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped)

// The value of `structSize`: the bytes up to the end of the last member, without the padding behind it. By this size a
// library recognises the version for which its caller was written.
template <typename Params>
inline constexpr std::size_t kStructSize = 0;
#define WATTUNE_CUPTI_SIZE(function, Params, last) \
  template <>                                      \
  inline constexpr std::size_t kStructSize<Params> = offsetof(Params, last) + sizeof(Params::last);
WATTUNE_CUPTI_FUNCTIONS(WATTUNE_CUPTI_SIZE)  // NOLINT(bugprone-sizeof-expression): of the pointers themselves
#undef WATTUNE_CUPTI_SIZE

template <typename Params>
Params cupti_params() {
  Params params{};
  params.structSize = kStructSize<Params>;
  return params;
}

struct CuptiApi {
#define WATTUNE_CUPTI_MEMBER(function, Params, last) CUptiResult (*function)(Params*) = nullptr;
  WATTUNE_CUPTI_FUNCTIONS(WATTUNE_CUPTI_MEMBER)
#undef WATTUNE_CUPTI_MEMBER
  CUptiResult (*cuptiGetResultString)(CUptiResult result, const char** name) = nullptr;
};

// Returns CUPTI, the same for the whole process: the newest CUPTI that a driver of this version supports (nullopt for
// the newest of all). Searches WATTUNE_LIBCUPTI, the loader's search path, CUDA_HOME, CUDA_PATH and /usr/local/cuda.
// Fails with unavailable, saying what to install.
Result<const CuptiApi*> cupti_api(std::optional<int> driver_version = {});

}  // namespace wattune::backend::cuda
