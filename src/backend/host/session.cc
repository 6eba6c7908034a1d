#include "backend/host/session.h"

#include <fmt/format.h>

#include <chrono>

namespace wattune::inline v0_1::backend::host {

namespace {

// The bytes of a guard zone: large enough for the usual overrun of a tile, and whole pages, so that the contents
// between the zones begin on a page.
constexpr std::size_t kGuardBytes = 16384;

// The longest wait, in seconds, whose end is still a valid time point.
constexpr double kMostSeconds = 1e9;

}  // namespace

Session::Session(DeviceInfo info)
    : info_(std::move(info)), guard_(guard_pattern(kGuardBytes)), thread_([desk = desk_] { serve(desk); }) {}

Session::~Session() {
  bool working = false;
  {
    const std::lock_guard lock(desk_->mutex);
    desk_->work.clear();
    desk_->closing = true;
    working = desk_->working;
  }
  desk_->changed.notify_all();
  // If posted work has not finished, it may run for ever.
  releasable() && !working ? thread_.join() : thread_.detach();
}

Result<void> Session::check() const {
  if (state_ == State::in_use) return {};
  return Error(ErrorCode::device_lost, fmt::format("{} was lost or reset since this was made", info_.selector));
}

void Session::post(std::function<void()> work) {
  const std::lock_guard lock(desk_->mutex);
  desk_->work.push_back(std::move(work));
  desk_->changed.notify_all();
}

bool Session::wait(Nanoseconds limit) {
  std::unique_lock lock(desk_->mutex);
  const std::chrono::duration<double> patience(std::min(to_seconds(limit), kMostSeconds));
  const bool done = desk_->changed.wait_for(lock, patience, [&] { return desk_->work.empty() && !desk_->working; });
  if (!done) state_ = State::abandoned;
  return done;
}

void Session::serve(const std::shared_ptr<Desk>& desk) {
  std::unique_lock lock(desk->mutex);
  for (;;) {
    desk->changed.wait(lock, [&] { return !desk->work.empty() || desk->closing; });
    if (desk->work.empty()) return;
    std::function<void()> work = std::move(desk->work.front());
    desk->work.pop_front();
    desk->working = true;
    lock.unlock();
    work();
    lock.lock();
    work = nullptr;
    desk->working = false;
    desk->changed.notify_all();
  }
}

}  // namespace wattune::backend::host
