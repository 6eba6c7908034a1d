// BoardEnergy: the energy that a board has drawn since the beginning, read by a thread of its own.
//
// A board takes about a millisecond to answer, which a thread that launches kernels cannot spare. The sensors must
// outlive this object.
//
//   const BoardEnergy energy(*sensors, nanoseconds_from_ms(100));
//   const std::optional<Joules> before = energy.latest();
#pragma once

#include <atomic>
#include <optional>

#include "power/interface/poller.h"
#include "wattune/backend/sensors.h"

namespace wattune::inline v0_1::schedule {

class BoardEnergy {
 public:
  // Reads the counter immediately, and then every `interval`, unless the board reports no energy.
  BoardEnergy(backend::Sensors& sensors, Nanoseconds interval);

  // Returns the latest reading; nullopt if the board reports no energy. Any thread may call it.
  std::optional<Joules> latest() const { return first_ ? std::optional(latest_.load()) : std::nullopt; }

 private:
  std::optional<Joules> counter();
  bool read();

  backend::Sensors& sensors_;
  std::optional<Joules> first_;
  std::atomic<Joules> latest_{Joules(0)};
  std::optional<power::Poller> poller_;  // the last member, because it uses all others
};

}  // namespace wattune::schedule
