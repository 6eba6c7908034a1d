// Green contexts of the stand-in for libcuda.so.1: 132 multiprocessors in 16 groups of 8, and a rest of 4, as on an
// H100. A resource stores its first multiprocessor in bytes that the real one uses privately.
#include <algorithm>

#include "fakes/cuda/fake_driver.h"

namespace {

constexpr unsigned kUnits = 132;
constexpr unsigned kGrain = 8;

unsigned first_of(const CUdevResource& resource) {
  unsigned first = 0;
  std::memcpy(&first, resource._internal_padding, sizeof first);
  return first;
}

CUdevResource resource(unsigned first, unsigned count) {
  CUdevResource made{};
  made.type = CU_DEV_RESOURCE_TYPE_SM;
  std::memcpy(made._internal_padding, &first, sizeof first);
  made.sm.smCount = count;
  return made;
}

}  // namespace

struct CUdevResourceDesc_st {
  std::array<unsigned, 2> units{};
};

extern "C" {

CUresult cuDeviceGetDevResource(CUdevice, CUdevResource* all, CUdevResourceType) {
  *all = resource(0, kUnits);
  return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource* groups, unsigned* count, const CUdevResource* input,
                                     CUdevResource* rest, unsigned, unsigned least) {
  if (input->sm.smCount != kUnits) misused("a part of a split was split again");
  const unsigned size = (std::max(least, 1U) + kGrain - 1) / kGrain * kGrain;
  *count = std::min(*count, kUnits / size);
  for (unsigned i = 0; i < *count; ++i) groups[i] = resource(i * size, size);
  if (rest != nullptr) *rest = resource(*count * size, kUnits - *count * size);
  return CUDA_SUCCESS;
}

// Makes a description, which lives as long as the process, as a real one does: no call ends it.
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* description, CUdevResource* resources, unsigned count) {
  static std::vector<std::unique_ptr<CUdevResourceDesc_st>> all;
  const std::lock_guard one_at_a_time(entry);
  std::array<unsigned, 2> units{first_of(resources[0]), first_of(resources[0])};
  for (unsigned i = 0; i < count; ++i) {
    if (first_of(resources[i]) != units[1]) misused("multiprocessors of a description do not follow each other");
    units[1] += resources[i].sm.smCount;
  }
  *description = all.emplace_back(std::make_unique<CUdevResourceDesc_st>(CUdevResourceDesc_st{units})).get();
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx* green, CUdevResourceDesc description, CUdevice, unsigned flags) {
  WATTUNE_UNLESS_BROKEN();
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  *green = made(context().green_contexts, new CUgreenCtx_st{description->units}, state.green_contexts);
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx green) {
  take(context().green_contexts, green, state.green_contexts);
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx green, unsigned flags, int priority) {
  WATTUNE_UNLESS_BROKEN();
  if (!context().green_contexts.contains(green)) misused("a stream of a green context that is gone");
  const CUresult code = cuStreamCreateWithPriority(stream, flags, priority);
  if (code == CUDA_SUCCESS) (*stream)->units = green->units;
  return code;
}

}  // extern "C"
