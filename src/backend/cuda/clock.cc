#include "backend/cuda/clock.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// The longest time between two marks. In milliseconds, as a float, such a time still has a resolution of 15 ns.
constexpr Nanoseconds kMarkLifetime = nanoseconds_from_ms(250);

Nanoseconds between(ClockMark::HostTime from, ClockMark::HostTime to) {
  return Nanoseconds(std::chrono::duration<double, std::nano>(to - from).count());
}

}  // namespace

Result<Nanoseconds> time_between(const Handle<CUevent>& from, CUevent to) {
  Session& session = *from.session();
  float milliseconds = 0.0f;
  const CUresult code = session.cu().cuEventElapsedTime(&milliseconds, from.get(), to);
  if (code == CUDA_ERROR_NOT_READY) return Error(ErrorCode::invalid_argument, "the launch has not finished");
  if (code != CUDA_SUCCESS) return session.failure(code, "reading when a kernel ran");
  return nanoseconds_from_ms(static_cast<double>(milliseconds));
}

Result<Nanoseconds> ClockMark::moment_of(CUevent event) {
  WATTUNE_ASSIGN(const Nanoseconds mine, settle());
  WATTUNE_ASSIGN(const Nanoseconds since, time_between(event_, event));
  return mine + since;
}

Result<Nanoseconds> ClockMark::moment_of(HostTime time) {
  WATTUNE_ASSIGN(const Nanoseconds mine, settle());
  return mine + between(recorded_, time);
}

bool ClockMark::is_older_than(Nanoseconds age) const {
  return between(recorded_, std::chrono::steady_clock::now()) > age;
}

Result<Nanoseconds> ClockMark::settle() {
  if (!previous_) return moment_;
  WATTUNE_ASSIGN(moment_, previous_->moment_of(event_.get()));
  previous_.reset();
  return moment_;
}

Result<std::shared_ptr<ClockMark>> Clock::mark() {
  if (!mark_ || mark_->is_older_than(kMarkLifetime)) WATTUNE_TRY(record());
  return mark_;
}

Result<void> Clock::record() {
  WATTUNE_ASSIGN(Handle<CUevent> event, make_event(session_));
  if (const CUresult code = session_->cu().cuEventRecord(event.get(), session_->service_stream()); code != CUDA_SUCCESS)
    return session_->failure(code, "reading the device's clock");
  if (mark_) (void)mark_->settle();  // otherwise a mark whose moment is never needed would keep all earlier marks
  mark_ = std::make_shared<ClockMark>(std::move(event), std::move(mark_));
  return {};
}

Result<Handle<CUevent>> make_event(const std::shared_ptr<Session>& session) {
  CUevent event = nullptr;
  if (const CUresult code = session->cu().cuEventCreate(&event, 0); code != CUDA_SUCCESS)
    return session->failure(code, "making an event");
  return Handle<CUevent>(session, event);
}

}  // namespace wattune::backend::cuda
