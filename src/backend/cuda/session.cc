#include "backend/cuda/session.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "backend/cuda/cuda_error.h"
#include "backend/device/attached.h"
#include "backend/device/guard_zone.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// The bytes of a guard zone: large enough for the usual overrun of a tile, small enough to read back at every check. It
// is a multiple of every type's alignment, so that the contents are as aligned as the allocation.
constexpr std::size_t kGuardBytes = 16384;

// Makes the contents of guard zones. They are empty if a tool such as compute-sanitizer watches every access. Such a
// tool notices an access past the end of a buffer only if no other memory follows.
std::vector<std::byte> make_guard() {
  return guard_pattern(std::getenv("WATTUNE_NO_GUARDS") == nullptr ? kGuardBytes : 0);
}

// Returns the error for a context that could not be made. After some errors, such as a failed assertion or an illegal
// access, the driver no longer serves this process.
Error no_context(const CuApi& cu, CUresult code, const std::string& doing) {
  const Error error = cu_error(cu, code, doing);
  if (error.code() != ErrorCode::device_lost) return error;
  return Error(ErrorCode::unavailable, error.message())
      .native(error.native_code(), error.native_name())
      .hint("only a new process gets the device back, which is what a worker does");
}

}  // namespace

Result<std::shared_ptr<Session>> Session::open(const CuDevice& device) {
  WATTUNE_ASSIGN(const CuApi* cu, cu_api());
  std::shared_ptr<Session> session(new Session(cu, device, nullptr));
  WATTUNE_TRY(session->make_context());
  session->guard_ = make_guard();
  WATTUNE_TRY(session->make_service_stream());
  return session;
}

Result<std::shared_ptr<Session>> Session::attach(const CuDevice& device, CUcontext context) {
  WATTUNE_ASSIGN(const CuApi* cu, cu_api());
  std::shared_ptr<Session> session(new Session(cu, device, context));
  session->guard_ = make_guard();
  WATTUNE_TRY(session->make_service_stream());
  return session;
}

Result<std::shared_ptr<Session>> Session::open_primary(const CuDevice& device) {
  WATTUNE_ASSIGN(const CuApi* cu, cu_api());
  CUcontext context = nullptr;
  if (const CUresult code = cu->cuDevicePrimaryCtxRetain(&context, device.id); code != CUDA_SUCCESS)
    return no_context(*cu, code, fmt::format("making the primary context of {}", device.info.selector));
  std::shared_ptr<Session> session(new Session(cu, device, context));
  session->retains_primary_ = true;
  session->guard_ = make_guard();
  WATTUNE_TRY(session->make_service_stream());
  return session;
}

Session::~Session() {
  end();
  if (retains_primary_) cu_->cuDevicePrimaryCtxRelease(device_.id);
}

bool Session::is_in_primary_context() const {
  unsigned flags = 0;
  int active = 0;
  cu_->cuDevicePrimaryCtxGetState(device_.id, &flags, &active);
  if (active == 0) return false;  // the primary context is not active; retaining it would activate it
  CUcontext primary = nullptr;
  if (cu_->cuDevicePrimaryCtxRetain(&primary, device_.id) != CUDA_SUCCESS) return false;
  cu_->cuDevicePrimaryCtxRelease(device_.id);
  return primary == context_;
}

Error Session::cannot_enter(CUresult code) {
  close();
  return Error(ErrorCode::device_lost, fmt::format("the context on {} is gone", info().selector))
      .native(code, cu_error(*cu_, code, {}).native_name());
}

void Session::close() {
  State in_use = State::in_use;
  state_.compare_exchange_strong(in_use, State::closed);
}

void Session::end() {
  close();
  if (!releasable()) return;
  if (attached_) {
    if (service_stream_ != nullptr) release(*this, std::exchange(service_stream_, nullptr));
  } else {
    cu_->cuCtxDestroy(std::exchange(context_, nullptr));
  }
}

Error Session::failure(CUresult code, std::string_view doing) {
  Error error = cu_error(*cu_, code, doing);
  if (error.code() == ErrorCode::device_lost) close();
  return error;
}

// Creates the context. The driver makes a new context current, so it is popped again.
Result<void> Session::make_context() {
  CUcontext made = nullptr;
  const CUresult code = cu_->cuCtxCreate(&made, 0, device_.id);
  if (code == CUDA_SUCCESS) {
    cu_->cuCtxPopCurrent(&context_);
    return {};
  }
  return no_context(*cu_, code, fmt::format("making a context on {}", info().selector));
}

Result<void> Session::make_service_stream() {
  WATTUNE_ASSIGN(const CurrentContext current, enter());
  const CUresult code = cu_->cuStreamCreate(&service_stream_, CU_STREAM_NON_BLOCKING);
  if (code == CUDA_SUCCESS) return {};
  return failure(code, fmt::format("making a stream on {}", info().selector));
}

Error Session::gone() const { return backend::gone(info(), attached_); }

}  // namespace wattune::backend::cuda
