#include "power/interface/poller.h"

#include <chrono>

namespace wattune::inline v0_1::power {

Poller::Poller(Nanoseconds interval, std::function<bool()> poll)
    : interval_(static_cast<std::chrono::nanoseconds::rep>(interval.value())),
      poll_(std::move(poll)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

// Calls `poll` periodically. A call that takes longer than the interval delays the next ones, so that calls do not pile
// up.
void Poller::run(const std::stop_token& stop) {
  auto next = std::chrono::steady_clock::now();
  while (!stop.stop_requested() && poll_()) {
    next = std::max(next + interval_, std::chrono::steady_clock::now());
    std::unique_lock lock(mutex_);
    stopped_.wait_until(lock, stop, next, [] { return false; });
  }
}

}  // namespace wattune::power
