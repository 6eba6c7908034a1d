// A stand-in for libcupti.so. It takes the device of the stand-in for libcuda for a GH100, and has these counters:
//   dram__bytes_read         always 4096
//   smsp__inst_executed      number of kernels launched in a pass, on average
//   lts__t_sector_hit_rate   never a number
//   sm__throughput           always 50
//   the counters that the strategy `profile` and profiles of kernels read, always 10
// A pass collects one of them. Calls in an order that the real library forbids end the process. Launches outside of
// ranges end it too while the profiler is enabled, because they would have been timed samples.
//
// Environment variables steer it:
//   WATTUNE_FAKE_CUPTI_CHIP=GP100   the device's chip
//   WATTUNE_FAKE_CUPTI_cuptiRangeProfilerStart=35   what a function returns
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cuda/cupti_api.h"
#include "fakes/cuda/fake_cuda.h"

using namespace wattune::backend::cuda;

namespace {

struct FakeCounter {
  std::string name;
  CUpti_MetricType type;
  const char* unit;
  const char* unit_per_second;
  const char* description;
};

const FakeCounter kCounters[] = {
    {"dram__bytes_read", CUPTI_METRIC_TYPE_COUNTER, "byte", "byte/second", "# of bytes read from DRAM"},
    {"smsp__inst_executed", CUPTI_METRIC_TYPE_COUNTER, "instruction", "instruction/second", "# of instructions"},
    {"lts__t_sector_hit_rate", CUPTI_METRIC_TYPE_RATIO, "percent", "", "proportion of lookups that hit"},
    {"sm__throughput", CUPTI_METRIC_TYPE_THROUGHPUT, "percent", "", "SM throughput"},
    {"dram__throughput", CUPTI_METRIC_TYPE_THROUGHPUT, "percent", "", "DRAM throughput"},
    {"dram__sectors_read", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"dram__sectors_write", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"lts__t_sectors", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"lts__t_sectors_op_read", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"lts__t_sectors_op_write", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_fp32_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_fp64_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_integer_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_control_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_memory_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_misc_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__sass_thread_inst_executed_op_conversion_pred_on", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__inst_executed_pipe_xu", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__issue_active", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"smsp__cycles_active", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"sm__inst_executed_pipe_fma", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"sm__inst_executed_pipe_alu", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"sm__inst_executed_pipe_xu", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"sm__inst_executed_pipe_fp64", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"sm__pipe_tensor_cycles_active", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
    {"l1tex__data_pipe_lsu_wavefronts", CUPTI_METRIC_TYPE_COUNTER, "", "", ""},
};
constexpr const char* kChips[] = {"GA100", "GH100"};
// The sub-metrics of each type.
const char* sub_metrics_of_type[][5] = {
    {".sum", ".avg", ".sum.per_second", ".avg.pct_of_peak_sustained_active", ".avg.pct_of_peak_sustained_elapsed"},
    {".ratio", ".pct"},
    {".avg.pct_of_peak_sustained_elapsed"}};
constexpr std::size_t kSubMetricCounts[] = {5, 2, 1};
constexpr char kAvailability[] = "AVAILABLE";

[[noreturn]] void misused(const char* what) {
  std::fprintf(stderr, "stand-in for libcupti: %s\n", what);
  std::abort();
}

long launches() {
  static void* const library = dlopen(std::getenv("WATTUNE_LIBCUDA"), RTLD_NOW | RTLD_LOCAL);
  static auto* const get = reinterpret_cast<wattune::fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"));
  return get()->launches;
}

const FakeCounter* find(const std::string& name) {
  for (const FakeCounter& counter : kCounters)
    if (name.substr(0, name.find('.')) == counter.name) return &counter;
  return nullptr;
}

bool is_metric(const std::string& name) {
  const FakeCounter* const counter = find(name);
  if (counter == nullptr) return false;
  const auto* const first = sub_metrics_of_type[counter->type];
  return std::any_of(first, first + kSubMetricCounts[counter->type],
                     [&](const char* sub_metric) { return counter->name + sub_metric == name; });
}

bool initialized = false;
std::set<CUpti_Profiler_Host_Object*> hosts;
CUpti_RangeProfiler_Object* enabled = nullptr;

}  // namespace

namespace wattune::inline v0_1::backend::cuda {

struct CUpti_Profiler_Host_Object_st {
  std::vector<std::string> metrics;
  std::vector<const char*> names;  // of counters, as last returned
};

struct CUpti_RangeProfiler_Object_st {
  std::uint8_t* data = nullptr;
  std::size_t passes = 0;  // number of passes needed
  std::size_t passes_done = 0;
  bool started = false;
  bool in_range = false;
  bool range_done = false;
  long launches_before = 0;  // the range
  long counted = 0;
  long launches_when_enabled = launches();
};

}  // namespace wattune::backend::cuda

namespace {

// Checks the parameters, and returns the error that the environment names; every function calls it first.
template <typename Params>
CUptiResult refusal(const char* function, const Params* params) {
  if (params->structSize != kStructSize<Params> || params->pPriv != nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const char* const code = std::getenv((std::string("WATTUNE_FAKE_CUPTI_") + function).c_str());
  return code != nullptr ? std::atoi(code) : CUPTI_SUCCESS;
}

#define WATTUNE_UNLESS_REFUSED() \
  if (const CUptiResult refused = refusal(__func__, params); refused != CUPTI_SUCCESS) return refused

template <typename Params>
CUpti_Profiler_Host_Object& host_of(const Params* params) {
  if (!hosts.contains(params->pHostObject)) misused("a host object that is gone");
  return *params->pHostObject;
}

template <typename Params>
CUpti_RangeProfiler_Object& profiler_of(const Params* params) {
  if (enabled == nullptr || params->pRangeProfilerObject != enabled) misused("a range profiler that is not enabled");
  return *enabled;
}

}  // namespace

extern "C" {

// Returns the number of living objects.
long wattune_fake_cupti_live() { return static_cast<long>(hosts.size()) + (enabled != nullptr) + initialized; }

CUptiResult cuptiGetResultString(CUptiResult result, const char** name) {
  *name = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == CUPTI_ERROR_HARDWARE_BUSY         ? "CUPTI_ERROR_HARDWARE_BUSY"
                                                        : "CUPTI_ERROR_OTHER";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  initialized = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (enabled != nullptr) misused("ended while a range profiler is enabled");
  initialized = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (!initialized) return CUPTI_ERROR_NOT_INITIALIZED;
  if (params->ctx == nullptr) misused("no context");
  if (params->pCounterAvailabilityImage == nullptr) {
    params->counterAvailabilityImageSize = sizeof kAvailability;
    return CUPTI_SUCCESS;
  }
  if (params->counterAvailabilityImageSize < sizeof kAvailability) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  std::memcpy(params->pCounterAvailabilityImage, kAvailability, sizeof kAvailability);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (!initialized) misused("asked of a device without cuptiProfilerInitialize, at which CUPTI crashes");
  if (params->deviceIndex != 0) return CUPTI_ERROR_INVALID_PARAMETER;
  const char* const chip = std::getenv("WATTUNE_FAKE_CUPTI_CHIP");
  params->pChipName = chip != nullptr ? chip : "GH100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  params->ppChipNames = kChips;
  params->numChips = std::size(kChips);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (params->profilerType != CUPTI_PROFILER_TYPE_RANGE_PROFILER || params->pChipName == nullptr)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const auto* const image = params->pCounterAvailabilityImage;
  if (image != nullptr && std::memcmp(image, kAvailability, sizeof kAvailability) != 0)
    misused("what is available was not asked for");
  params->pHostObject = *hosts.insert(new CUpti_Profiler_Host_Object).first;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  delete &host_of(params);
  hosts.erase(params->pHostObject);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  std::vector<const char*>& names = host_of(params).names;
  names.clear();
  for (const FakeCounter& counter : kCounters)
    if (counter.type == params->metricType) names.push_back(counter.name.c_str());
  params->ppMetricNames = names.data();
  params->numMetrics = names.size();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  host_of(params);
  const FakeCounter* const counter = find(params->pMetricName);
  if (!is_metric(params->pMetricName) || counter->type != params->metricType) return CUPTI_ERROR_INVALID_METRIC_NAME;
  params->ppSubMetrics = sub_metrics_of_type[counter->type];
  params->numOfSubmetrics = kSubMetricCounts[counter->type];
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  host_of(params);
  const FakeCounter* const counter = find(params->pMetricName);
  if (!is_metric(params->pMetricName)) return CUPTI_ERROR_INVALID_METRIC_NAME;
  params->pDescription = counter->description;
  params->pHwUnit = nullptr;
  params->pDimUnit =
      std::strstr(params->pMetricName, ".per_second") != nullptr ? counter->unit_per_second : counter->unit;
  params->metricType = counter->type;
  return CUPTI_SUCCESS;
}

// Adds metrics. Like the real one, it does not say which of the names is wrong.
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  const std::vector<std::string> names(params->ppMetricNames, params->ppMetricNames + params->numMetrics);
  if (names.empty() || !std::all_of(names.begin(), names.end(), is_metric)) return CUPTI_ERROR_INVALID_PARAMETER;
  host_of(params).metrics = names;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (host_of(params).metrics.empty()) return CUPTI_ERROR_UNKNOWN;
  params->configImageSize = 1;
  return CUPTI_SUCCESS;
}

// Returns an image, which is the number of passes.
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (params->configImageSize < 1) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  *params->pConfigImage = static_cast<std::uint8_t>(host_of(params).metrics.size());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (!initialized) return CUPTI_ERROR_NOT_INITIALIZED;
  if (enabled != nullptr) return CUPTI_ERROR_HARDWARE_BUSY;
  params->pRangeProfilerObject = enabled = new CUpti_RangeProfiler_Object;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (profiler.in_range) profiler.counted += launches() - profiler.launches_before;
  if (launches() != profiler.launches_when_enabled + profiler.counted)
    misused("a kernel was launched outside of a range while the profiler was enabled");
  delete std::exchange(enabled, nullptr);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  profiler_of(params);
  if (params->maxNumOfRanges < 1 || params->maxNumRangeTreeNodes < params->maxNumOfRanges)
    return CUPTI_ERROR_INVALID_PARAMETER;
  params->counterDataSize = sizeof(double);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  if (params->counterDataSize < sizeof(double)) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  profiler_of(params).data = params->pCounterData;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (profiler.data == nullptr || params->pCounterDataImage != profiler.data) misused("room for values is not ready");
  const bool by_user = params->range == CUPTI_UserRange && params->replayMode == CUPTI_UserReplay;
  const bool one_level =
      params->numNestingLevels == 1 && params->minNestingLevel == 1 && params->targetNestingLevel == 1;
  if (!by_user || !one_level || params->maxRangesPerPass != 1) return CUPTI_ERROR_INVALID_OPERATION;
  profiler.passes = *params->pConfig;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (profiler.passes == 0 || profiler.started) return CUPTI_ERROR_INVALID_OPERATION;
  profiler.started = true;
  profiler.range_done = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (!profiler.started || profiler.in_range || params->pRangeName == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  profiler.in_range = true;
  profiler.launches_before = launches();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (!profiler.in_range) return CUPTI_ERROR_INVALID_OPERATION;
  profiler.in_range = false;
  profiler.range_done = true;
  profiler.counted += launches() - profiler.launches_before;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (!profiler.started || !profiler.range_done) return CUPTI_ERROR_INVALID_OPERATION;
  profiler.started = false;
  params->passIndex = ++profiler.passes_done;
  params->isAllPassSubmitted = profiler.passes_done == profiler.passes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  CUpti_RangeProfiler_Object& profiler = profiler_of(params);
  if (profiler.passes_done < profiler.passes) return CUPTI_ERROR_INVALID_OPERATION;
  const double launches_per_pass = static_cast<double>(profiler.counted) / static_cast<double>(profiler.passes);
  std::memcpy(profiler.data, &launches_per_pass, sizeof launches_per_pass);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  WATTUNE_UNLESS_REFUSED();
  host_of(params);
  if (params->rangeIndex != 0 || params->counterDataImageSize < sizeof(double)) return CUPTI_ERROR_INVALID_PARAMETER;
  double launches_per_pass = 0.0;
  std::memcpy(&launches_per_pass, params->pCounterDataImage, sizeof launches_per_pass);
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const std::string name = find(params->ppMetricNames[i])->name;
    params->pMetricValues[i] = name == "dram__bytes_read"         ? 4096.0
                               : name == "smsp__inst_executed"    ? launches_per_pass
                               : name == "sm__throughput"         ? 50.0
                               : name == "lts__t_sector_hit_rate" ? std::numeric_limits<double>::quiet_NaN()
                                                                  : 10.0;
  }
  return CUPTI_SUCCESS;
}

}  // extern "C"

// The declarations by which Wattune calls these functions.

#define WATTUNE_SAME(function, Params, last) \
  static_assert(std::is_same_v<decltype(&::function), decltype(CuptiApi::function)>);
WATTUNE_CUPTI_FUNCTIONS(WATTUNE_SAME)
