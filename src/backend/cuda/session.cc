#include "backend/cuda/session.h"

#include <fmt/format.h>

#include <cstdlib>

#include "backend/cuda/cuda_error.h"
#include "backend/guard_zone.h"

namespace wattune::backend::cuda {

namespace {

// Large enough for the usual slip of a tile, small enough to read back at every check; a multiple of the alignment of
// every type, so that the contents behind it are as aligned as the allocation.
constexpr std::size_t kGuardBytes = 16384;

// Tools that watch every access see those past the end of a buffer only where nothing follows it.
std::vector<std::byte> make_guard() {
  return guard_pattern(std::getenv("WATTUNE_NO_GUARDS") == nullptr ? kGuardBytes : 0);
}

}  // namespace

Result<std::shared_ptr<Session>> Session::open(const CuDevice& device) {
  WATTUNE_ASSIGN(const CuApi* cu, cu_api());
  std::shared_ptr<Session> session(new Session(cu, device));
  const CUresult code = cu->cuCtxCreate(&session->context_, 0, device.id);
  if (code != CUDA_SUCCESS) {
    session->context_ = nullptr;
    const Error error = cu_error(*cu, code, fmt::format("making a context on {}", device.info.selector));
    if (error.code() != ErrorCode::device_lost) return error;
    // After some errors, such as a failed assertion, the driver serves this process no more.
    return Error(ErrorCode::unavailable, error.message())
        .native(error.native_code(), error.native_name())
        .hint("only a new process gets the device back, which is what a worker does");
  }
  session->guard_ = make_guard();
  return session;
}

Session::~Session() { end(); }

void Session::end() {
  close();
  if (state_ != State::abandoned && context_ != nullptr) cu_->cuCtxDestroy(std::exchange(context_, nullptr));
}

bool Session::releasable() const {
  return state_ != State::abandoned && context_ != nullptr && cu_->cuCtxSetCurrent(context_) == CUDA_SUCCESS;
}

Result<void> Session::check() const {
  if (state_ != State::in_use)
    return Error(ErrorCode::device_lost,
                 fmt::format("{} was lost or reset since this was made", device_.info.selector));
  cu_->cuCtxSetCurrent(context_);
  return {};
}

Error Session::failure(CUresult code, std::string_view doing) {
  Error error = cu_error(*cu_, code, doing);
  if (error.code() == ErrorCode::device_lost) close();
  return error;
}

}  // namespace wattune::backend::cuda
