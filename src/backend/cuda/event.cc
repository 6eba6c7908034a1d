#include "backend/cuda/event.h"

#include "backend/cuda/dispatcher.h"

namespace wattune::inline v0_1::backend::cuda {

Result<bool> CudaEvent::ready() const {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  WATTUNE_ASSIGN(const bool sent, dispatcher_->has_sent(*timing_));
  if (!sent) return false;
  const CUresult code = session().cu().cuEventQuery(timing_->end.get());
  if (code != CUDA_SUCCESS && code != CUDA_ERROR_NOT_READY) return session().failure(code, "running a kernel");
  return code == CUDA_SUCCESS;
}

Result<Nanoseconds> CudaEvent::start() const {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  return dispatcher_->start_of(*timing_);
}

Result<Nanoseconds> CudaEvent::end() const {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  WATTUNE_ASSIGN(const Nanoseconds began, dispatcher_->start_of(*timing_));
  WATTUNE_ASSIGN(const Nanoseconds took, length());
  return began + took;
}

Result<Nanoseconds> CudaEvent::duration() const {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  WATTUNE_ASSIGN(const Nanoseconds took, length());
  if (took <= Nanoseconds()) return Error(ErrorCode::unavailable, "the device reported no time for a kernel");
  return took;
}

Conditions CudaEvent::conditions() const { return dispatcher_->conditions_of(*timing_); }

Result<Nanoseconds> CudaEvent::length() const {
  WATTUNE_ASSIGN(const bool sent, dispatcher_->has_sent(*timing_));
  if (!sent) return Error(ErrorCode::invalid_argument, "the launch has not finished");
  return time_between(timing_->start, timing_->end.get());
}

}  // namespace wattune::backend::cuda
