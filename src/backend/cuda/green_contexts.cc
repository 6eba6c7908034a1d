#include "backend/cuda/green_contexts.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::backend::cuda {

Result<unsigned> GreenContexts::grain() {
  const std::lock_guard lock(mutex_);
  WATTUNE_TRY(split());
  return split_.grain;
}

Result<GreenContext> GreenContexts::get(const UnitRange& units) {
  const std::lock_guard lock(mutex_);
  WATTUNE_TRY(split());
  GreenContext& known = made_[{units.first, units.count}];
  if (!known) {
    WATTUNE_ASSIGN(known, make(units));
  }
  return known;
}

Result<void> GreenContexts::check_driver() const {
  const CuApi& cu = session_->cu();
#define WATTUNE_CU_IS_THERE(function, symbol, parameters)                                                           \
  if (cu.function == nullptr)                                                                                       \
    return Error(ErrorCode::unavailable,                                                                            \
                 "streams with multiprocessors of their own need " #symbol ", which the CUDA driver does not have") \
        .hint("install NVIDIA driver 555 or newer");
  WATTUNE_CU_GREEN_FUNCTIONS(WATTUNE_CU_IS_THERE)
#undef WATTUNE_CU_IS_THERE
  if (session_->is_in_primary_context()) return {};
  return Error(ErrorCode::unavailable,
               fmt::format("streams of {} have multiprocessors of their own in its primary context only",
                           session_->info().selector))
      .hint("open the device with open_cuda_in_primary_context()");
}

Result<void> GreenContexts::split() {
  if (split_.grain > 0) return {};
  WATTUNE_TRY(check_driver());
  WATTUNE_ASSIGN(split_, make_split());
  return {};
}

// Splits the device into the smallest groups. The driver is asked for groups of one multiprocessor, and makes the
// smallest groups that it can.
Result<GreenContexts::Split> GreenContexts::make_split() const {
  const CuApi& cu = session_->cu();
  CUdevResource all{};
  CUdevResource smallest{};
  unsigned one = 1;
  CUresult code = cu.cuDeviceGetDevResource(session_->device().id, &all, CU_DEV_RESOURCE_TYPE_SM);
  if (code == CUDA_SUCCESS) code = cu.cuDevSmResourceSplitByCount(&smallest, &one, &all, nullptr, 0, 1);
  Split split{.grain = smallest.sm.smCount, .groups = {}, .rest = {}, .units = all.sm.smCount};
  unsigned count = code == CUDA_SUCCESS && split.grain > 0 ? split.units / split.grain : 0;
  split.groups.resize(count);
  if (count > 0) code = cu.cuDevSmResourceSplitByCount(split.groups.data(), &count, &all, &split.rest, 0, split.grain);
  split.groups.resize(count);
  if (code == CUDA_SUCCESS && count > 0) return split;
  if (code != CUDA_SUCCESS) return session_->failure(code, "splitting the multiprocessors of the device");
  return Error(ErrorCode::unavailable, "the driver splits the multiprocessors of the device into no groups");
}

Result<std::vector<CUdevResource>> GreenContexts::resources_of(const UnitRange& units) const {
  const unsigned grain = split_.grain;
  const unsigned grouped = grain * static_cast<unsigned>(split_.groups.size());
  const unsigned end = units.first + units.count;
  const bool to_the_end = end == split_.units;
  const bool begins = units.first % grain == 0 && units.first <= grouped;
  if (!begins || (!to_the_end && (end % grain != 0 || end > grouped)))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("units {} to {} cannot be a stream's own", units.first, end - 1))
        .hint(fmt::format("units begin and end at multiples of {} up to {}, and at {}", grain, grouped, split_.units));
  std::vector<CUdevResource> resources;
  for (unsigned group = units.first / grain; group < split_.groups.size() && group * grain < end; ++group)
    resources.push_back(split_.groups[group]);
  if (to_the_end && split_.rest.sm.smCount > 0) resources.push_back(split_.rest);
  return resources;
}

Result<GreenContext> GreenContexts::make(const UnitRange& units) const {
  WATTUNE_ASSIGN(std::vector<CUdevResource> resources, resources_of(units));
  const CuApi& cu = session_->cu();
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  CUresult code = cu.cuDevResourceGenerateDesc(&description, resources.data(), static_cast<unsigned>(resources.size()));
  if (code == CUDA_SUCCESS)
    code = cu.cuGreenCtxCreate(&context, description, session_->device().id, CU_GREEN_CTX_DEFAULT_STREAM);
  if (code != CUDA_SUCCESS) return session_->failure(code, "making a context of some multiprocessors");
  return std::make_shared<const Handle<CUgreenCtx>>(session_, context);
}

}  // namespace wattune::backend::cuda
