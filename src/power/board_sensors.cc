#include "power/board_sensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "power/phases.h"

namespace wattune::inline v0_1::power {

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
               fmt::format("{} covers the {}, not the GPU's board alone", info.name,
                           info.scope == Scope::module ? "module with its other chips" : "board's memory alone"))
      .hint("`wattune power` shows what each sensor covers");
}

Nanoseconds settling(const SensorTraits& traits) {
  return std::max({traits.window, 3.0 * traits.time_constant, traits.lag}) + 2.0 * traits.period;
}

// True unless the sensor's windows cover each period a whole number of times, and so see every moment equally often.
bool sees_a_part(const SensorTraits& traits) {
  constexpr double kPeriodTolerance = 0.05;
  const double periods = seen_by(traits) / traits.period;
  const double whole = std::max(1.0, std::round(periods));
  return traits.response == Response::lag || std::abs(periods - whole) > kPeriodTolerance * periods;
}

}  // namespace

Nanoseconds seen_by(const SensorTraits& traits) {
  if (traits.response == Response::lag) return 4.0 * traits.time_constant;
  return traits.window > Nanoseconds() ? traits.window : traits.period / 4.0;
}

Result<BoardSensors> BoardSensors::in(const Recording& recording) {
  BoardSensors sensors{first_of_board(recording.energy), first_of_board(recording.power)};
  if (sensors.counter == nullptr && sensors.power == nullptr) return nothing_tells(recording);
  return sensors;
}

Nanoseconds BoardSensors::warm_up() const {
  constexpr Nanoseconds kLeastWarmUp = nanoseconds_from_ms(300);
  Nanoseconds longest = kLeastWarmUp;
  if (counter != nullptr) longest = std::max(longest, settling(counter->sensor.traits));
  if (power != nullptr) longest = std::max(longest, settling(power->sensor.traits));
  return longest;
}

Nanoseconds BoardSensors::period() const {
  constexpr Nanoseconds kPeriodIfUnknown = nanoseconds_from_ms(100);
  Nanoseconds longest;
  if (counter != nullptr) longest = std::max(longest, counter->sensor.traits.period);
  if (power != nullptr) longest = std::max(longest, power->sensor.traits.period);
  return longest > Nanoseconds() ? longest : kPeriodIfUnknown;
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

// Returns the traits of the power sensor instead of those of a counter with unknown behaviour. Such a counter is
// assumed to sum that sensor's values.
const SensorTraits& BoardSensors::sampling() const {
  const bool counts_parts =
      counter != nullptr && counter->sensor.traits.window > Nanoseconds() && sees_a_part(counter->sensor.traits);
  return power != nullptr && !counts_parts ? power->sensor.traits : counter->sensor.traits;
}

bool BoardSensors::aliases(Nanoseconds launch) const {
  constexpr double kLaunchesSeen = 1000.0;  // then half a launch is a twentieth of a percent
  const SensorTraits& traits = sampling();
  return sees_a_part(traits) && launch >= seen_by(traits) / kLaunchesSeen &&
         launch < static_cast<double>(kPhases) * traits.period;
}

bool BoardSensors::sees_parts(Nanoseconds launch) const { return launch >= seen_by(sampling()) / 2.0; }

}  // namespace wattune::power
