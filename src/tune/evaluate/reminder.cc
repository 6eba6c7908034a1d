#include "tune/evaluate/reminder.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "core/stopwatch.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr std::chrono::seconds kFirstReminder{3};

// Calls `remind` at growing intervals until `stop` is requested.
void remind_often(const std::stop_token& stop, const Reminder::Remind& remind, const std::string& what,
                  Nanoseconds limit) {
  const Stopwatch stopwatch;
  std::mutex mutex;
  std::condition_variable_any nothing_else;
  std::unique_lock lock(mutex);
  for (auto pause = kFirstReminder; !nothing_else.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); });
       pause *= 2)
    remind(what, stopwatch.elapsed(), limit);
}

}  // namespace

Reminder::Reminder(const Remind& remind, std::string_view what, Nanoseconds limit) {
  if (remind) thread_ = std::jthread(remind_often, remind, std::string(what), limit);
}

}  // namespace wattune::tune
