// Which of the sensors in a recording tell the energy of a board, and what they need.
#pragma once

#include <algorithm>

#include "wattune/power/recorder.h"

namespace wattune::power {

// That tells of the board of a GPU; nullptr: none does.
template <typename T>
const Trace<T>* first_of_board(const std::vector<Trace<T>>& traces) {
  const auto found = std::ranges::find_if(traces, [](const auto& each) { return each.sensor.scope == Scope::gpu; });
  return found != traces.end() ? &*found : nullptr;
}

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
  // Whether launches of this length may repeat in step with what that sensor sees, so that it shows some parts of them
  // more than others: by a twentieth of a percent at worst. One of many periods is seen at many places by itself.
  bool aliases(Nanoseconds launch) const;
  // Whether that sensor sees so few of such launches at once that it may show one part alone.
  bool sees_parts(Nanoseconds launch) const;
};

}  // namespace wattune::power
