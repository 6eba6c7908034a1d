// DeviceClock: the times of a device's events on the clock of the host. A value.
//
// A launch begins after it was sent and ends before its end is noticed, which bounds the offset between the clocks. The
// estimate moves as little as each launch requires, and so follows clocks that drift.
//
//   const auto [begin, end] = clock.on_host({*event.start(), *event.end()}, sent, noticed);
#pragma once

#include <algorithm>
#include <optional>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::schedule {

class DeviceClock {
 public:
  struct Times {
    Nanoseconds begin;
    Nanoseconds end;
  };

  // Converts these times of the device to the host's clock, and corrects the offset by them.
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
