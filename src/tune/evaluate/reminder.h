// Reminder: while it lives, tells the user at growing intervals that a reference or its substitute is still running.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::tune {

class Reminder {
 public:
  using Remind = std::function<void(std::string_view what, Nanoseconds elapsed, Nanoseconds limit)>;

  // Calls `remind`, which may be empty, on a thread of its own: first after some seconds, then after twice as many each
  // time.
  Reminder(const Remind& remind, std::string_view what, Nanoseconds limit);

 private:
  std::jthread thread_;
};

}  // namespace wattune::tune
