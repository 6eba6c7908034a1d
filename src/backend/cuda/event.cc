#include "backend/cuda/event.h"

#include "backend/cuda/dispatcher.h"

namespace wattune::backend::cuda {

Result<bool> CudaEvent::ready() const {
  WATTUNE_TRY(session().check());
  dispatcher_->advance();
  if (timing_->dropped) return *timing_->dropped;
  if (!timing_->recorded) return false;
  const CUresult code = session().cu().cuEventQuery(timing_->end.get());
  if (code != CUDA_SUCCESS && code != CUDA_ERROR_NOT_READY) return session().failure(code, "running a kernel");
  return code == CUDA_SUCCESS;
}

Result<Nanoseconds> CudaEvent::start() const {
  WATTUNE_TRY(check_sent());
  return timing_->mark->moment_of(timing_->start.get());
}

Result<Nanoseconds> CudaEvent::end() const {
  WATTUNE_ASSIGN(const Nanoseconds began, start());
  WATTUNE_ASSIGN(const Nanoseconds took, time_between(timing_->start, timing_->end.get()));
  return began + took;
}

Result<Nanoseconds> CudaEvent::duration() const {
  WATTUNE_TRY(check_sent());
  WATTUNE_ASSIGN(const Nanoseconds took, time_between(timing_->start, timing_->end.get()));
  if (took <= Nanoseconds()) return Error(ErrorCode::unavailable, "the device reported no time for a kernel");
  return took;
}

Result<void> CudaEvent::check_sent() const {
  WATTUNE_TRY(session().check());
  if (timing_->dropped) return *timing_->dropped;
  if (timing_->recorded) return {};
  return Error(ErrorCode::invalid_argument, "the launch has not finished");
}

}  // namespace wattune::backend::cuda
