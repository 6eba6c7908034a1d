// Which of the sensors in a recording tell the energy of a board, and what they need.
#pragma once

#include "wattune/power/recorder.h"

namespace wattune::power {

// Point into the recording, which outlives them. At least one is there.
struct BoardSensors {
  const Trace<Joules>* counter = nullptr;
  const Trace<Watts>* power = nullptr;

  // The first of each kind that tells of the board of a GPU. unavailable: there is none; why.
  static Result<BoardSensors> in(const Recording& recording);

  // How long a load runs before these show it alone.
  Nanoseconds warm_up() const;
  // The longest between two changes, and from what is to its showing.
  Nanoseconds period() const;
  Nanoseconds lag() const;
  // Of the sensor that may see a part of its period only.
  const SensorTraits& sampling() const;
  // Whether launches of this length may repeat in step with what that sensor sees. One of many
  // periods is seen at many places by itself.
  bool aliases(Nanoseconds launch) const;
};

}  // namespace wattune::power
