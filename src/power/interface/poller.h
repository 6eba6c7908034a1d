// Poller is a thread that calls a function periodically.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

class Poller {
 public:
  // Calls `poll` every `interval` from its own thread until it returns false or the Poller is destroyed. The destructor
  // waits for a running call.
  Poller(Nanoseconds interval, std::function<bool()> poll);

  // Asks the thread to end, without waiting for it.
  void ask_to_stop() { thread_.request_stop(); }

 private:
  void run(const std::stop_token& stop);

  const std::chrono::nanoseconds interval_;
  const std::function<bool()> poll_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // the last member, because it uses all others
};

}  // namespace wattune::power
