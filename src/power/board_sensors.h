// Selects those sensors of a recording that measure the energy of a board, and tells how long they must be read.
#pragma once

#include <algorithm>

#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// Returns the first trace that covers the board of a GPU; nullptr if there is none.
template <typename T>
const Trace<T>* first_of_board(const std::vector<Trace<T>>& traces) {
  const auto found = std::ranges::find_if(traces, [](const auto& each) { return each.sensor.scope == Scope::gpu; });
  return found != traces.end() ? &*found : nullptr;
}

// Returns the time that a reading covers. Without a known window it is a quarter of the period, as on GA100 and GH100.
// A sensor with a time constant smooths a ripple like a window of four time constants.
Nanoseconds seen_by(const SensorTraits& traits);

// The sensors that measure a board; at least one is not nullptr. They point into the recording, which must outlive this
// object.
struct BoardSensors {
  const Trace<Joules>* counter = nullptr;
  const Trace<Watts>* power = nullptr;

  // Selects the first sensor of each kind that covers the board of a GPU. Fails with unavailable, giving the reason, if
  // there is none.
  static Result<BoardSensors> in(const Recording& recording);

  // Returns how long a load must run before the readings of these sensors depend on this load alone.
  Nanoseconds warm_up() const;
  // Returns the longest period of the sensors.
  Nanoseconds period() const;
  // Returns the longest delay from a value to its reading.
  Nanoseconds lag() const;
  // Returns the traits of the sensor whose readings may cover only a part of its period.
  const SensorTraits& sampling() const;
  // True if launches of this length may repeat in step with the readings of the sensor of sampling(). Then the sensor
  // sees some parts of a launch more often than others, which changes the result by more than a twentieth of a percent.
  // A launch of many periods is seen at many moments in any case.
  bool aliases(Nanoseconds launch) const;
  // True if the sensor of sampling() sees so few launches of this length at once that a reading may show only a part of
  // one launch.
  bool sees_parts(Nanoseconds launch) const;
};

}  // namespace wattune::power
