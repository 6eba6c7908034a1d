#include "backend/host/session.h"

#include <fmt/format.h>

#include <chrono>

namespace wattune::backend::host {

namespace {

// Large enough for the usual slip of a tile, and whole pages, so that the contents between the zones begin with one.
constexpr std::size_t kGuardBytes = 16384;

// More than any wait, and still a time point.
constexpr double kMostSeconds = 1e9;

}  // namespace

Session::Session(DeviceInfo info)
    : info_(std::move(info)), guard_(guard_pattern(kGuardBytes)), thread_([desk = desk_] { serve(desk); }) {}

Session::~Session() {
  {
    const std::lock_guard lock(desk_->mutex);
    desk_->closing = true;
  }
  desk_->changed.notify_all();
  releasable() ? thread_.join() : thread_.detach();
}

Result<void> Session::check() const {
  if (state_ == State::in_use) return {};
  return Error(ErrorCode::device_lost, fmt::format("{} was lost or reset since this was made", info_.selector));
}

bool Session::run(std::function<void()> work, Nanoseconds limit) {
  std::unique_lock lock(desk_->mutex);
  desk_->work = std::move(work);
  desk_->changed.notify_all();
  const std::chrono::duration<double> patience(std::min(to_seconds(limit), kMostSeconds));
  const bool done = desk_->changed.wait_for(lock, patience, [&] { return !desk_->work; });
  if (!done) state_ = State::abandoned;
  return done;
}

void Session::serve(const std::shared_ptr<Desk>& desk) {
  std::unique_lock lock(desk->mutex);
  for (;;) {
    desk->changed.wait(lock, [&] { return desk->work || desk->closing; });
    if (!desk->work) return;
    lock.unlock();
    desk->work();
    lock.lock();
    desk->work = nullptr;
    desk->changed.notify_all();
  }
}

}  // namespace wattune::backend::host
