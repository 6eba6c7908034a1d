#include "power/board_sensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "power/phases.h"

namespace wattune::power {

namespace {

Error nothing_tells(const Recording& recording) {
  if (!recording.failures.empty())
    return Error(ErrorCode::unavailable,
                 fmt::format("no sensor tells the board's energy: {}", fmt::join(recording.failures, "; ")));
  if (recording.energy.empty() && recording.power.empty())
    return Error(ErrorCode::unavailable, "no sensor tells the board's energy or power")
        .hint("`wattune power` shows what can be read");
  const SensorInfo& info = recording.energy.empty() ? recording.power.front().sensor : recording.energy.front().sensor;
  return Error(ErrorCode::unavailable,
               fmt::format("{} tells of the {}, not of the GPU's board alone", info.name,
                           info.scope == Scope::module ? "module with its other chips" : "board's memory alone"))
      .hint("`wattune power` shows what each sensor tells of");
}

Nanoseconds settling(const SensorTraits& traits) {
  return std::max({traits.window, 3.0 * traits.time_constant, traits.lag}) + 2.0 * traits.period;
}

}  // namespace

Result<BoardSensors> BoardSensors::in(const Recording& recording) {
  BoardSensors sensors{first_of_board(recording.energy), first_of_board(recording.power)};
  if (sensors.counter == nullptr && sensors.power == nullptr) return nothing_tells(recording);
  return sensors;
}

Nanoseconds BoardSensors::warm_up() const {
  constexpr Nanoseconds kLeast = nanoseconds_from_ms(300);
  Nanoseconds longest = kLeast;
  if (counter != nullptr) longest = std::max(longest, settling(counter->sensor.traits));
  if (power != nullptr) longest = std::max(longest, settling(power->sensor.traits));
  return longest;
}

Nanoseconds BoardSensors::period() const {
  constexpr Nanoseconds kUsual = nanoseconds_from_ms(100);
  Nanoseconds longest;
  if (counter != nullptr) longest = std::max(longest, counter->sensor.traits.period);
  if (power != nullptr) longest = std::max(longest, power->sensor.traits.period);
  return longest > Nanoseconds() ? longest : kUsual;
}

Nanoseconds BoardSensors::lag() const {
  Nanoseconds longest;
  if (counter != nullptr) longest = std::max(longest, counter->sensor.traits.lag);
  if (power != nullptr) {
    const SensorTraits& traits = power->sensor.traits;
    longest = std::max(longest, traits.lag + traits.window / 2.0);
  }
  return longest;
}

const SensorTraits& BoardSensors::sampling() const {
  return power != nullptr ? power->sensor.traits : counter->sensor.traits;
}

// Of a sensor whose window nobody knows a quarter of the period is assumed, as GA100 and GH100 have it.
bool BoardSensors::aliases(Nanoseconds launch) const {
  const SensorTraits& traits = sampling();
  const Nanoseconds window = traits.window > Nanoseconds() ? traits.window : traits.period / 4.0;
  const bool sees_a_part = traits.response != Response::lag && window < traits.period;
  return sees_a_part && launch >= window / 2.0 && launch < static_cast<double>(kPhases) * traits.period;
}

}  // namespace wattune::power
