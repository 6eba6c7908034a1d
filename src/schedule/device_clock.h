// DeviceClock: the times of a device's events on the clock of the host. A value.
//
// A launch begins after it was sent and ends before that is noticed, which bounds how far the clocks are apart. What is
// taken for it moves as little as each launch asks for, and so follows clocks that drift.
//
//   const auto [begin, end] = clock.on_host({*event.start(), *event.end()}, sent, noticed);
#pragma once

#include <algorithm>
#include <optional>

#include "wattune/core/units.h"

namespace wattune::schedule {

class DeviceClock {
 public:
  struct Times {
    Nanoseconds begin;
    Nanoseconds end;
  };

  Times on_host(const Times& on_device, Nanoseconds sent, Nanoseconds noticed) {
    const Nanoseconds most = noticed - on_device.end;
    const Nanoseconds least = std::min(sent - on_device.begin, most);
    apart_ = std::clamp(apart_.value_or(most), least, most);
    return {on_device.begin + *apart_, on_device.end + *apart_};
  }

 private:
  std::optional<Nanoseconds> apart_;
};

}  // namespace wattune::schedule
