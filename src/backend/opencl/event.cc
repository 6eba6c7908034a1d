#include "backend/opencl/event.h"

#include "backend/opencl/cl_error.h"

namespace wattune::inline v0_1::backend::opencl {

cl_int status_of(const Command& command) {
  cl_int status = CL_COMPLETE;
  command.event.session()->cl().clGetEventInfo(command.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                               &status, nullptr);
  return status;
}

Result<bool> OpenClEvent::ready() const {
  WATTUNE_TRY(session().check());
  const cl_int status = status_of(*command_);
  if (status < 0) return session().failure(status, command_->doing);
  return status == CL_COMPLETE;
}

Result<Nanoseconds> OpenClEvent::duration() const {
  WATTUNE_ASSIGN(const cl_ulong start, reported(CL_PROFILING_COMMAND_START));
  WATTUNE_ASSIGN(const cl_ulong end, reported(CL_PROFILING_COMMAND_END));
  if (end <= start) return Error(ErrorCode::unavailable, "the device reported no time for " + command_->doing);
  return Nanoseconds(static_cast<double>(end - start));
}

Result<cl_ulong> OpenClEvent::reported(cl_profiling_info which) const {
  WATTUNE_TRY(session().check());
  if (!command_->profiled)
    return Error(ErrorCode::unavailable, "the application's command queue keeps no times")
        .hint("make it with CL_QUEUE_PROFILING_ENABLE");
  cl_ulong moment = 0;
  const cl_int code =
      session().cl().clGetEventProfilingInfo(command_->event.get(), which, sizeof moment, &moment, nullptr);
  if (code == CL_SUCCESS) return moment;
  if (code == CL_PROFILING_INFO_NOT_AVAILABLE && status_of(*command_) > CL_COMPLETE)
    return Error(ErrorCode::invalid_argument, "the launch has not finished");
  return cl_error(code, "reading how long the device was " + command_->doing);
}

Result<Nanoseconds> OpenClEvent::moment(cl_profiling_info which) const {
  WATTUNE_ASSIGN(const cl_ulong found, reported(which));
  return session().moment(found);
}

}  // namespace wattune::backend::opencl
