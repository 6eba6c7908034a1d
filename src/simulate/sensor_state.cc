#include "simulate/sensor_state.h"

#include <cmath>

#include "simulate/draw.h"

namespace wattune::inline v0_1::simulate {

namespace {

// Initial reading of a counter. It is not 0, because a real counter has counted since the driver was loaded.
constexpr double kJoulesBefore = 5000.0;

// Updates the state as if the power were constant until the given moment. The state follows the power like the voltage
// of a capacitor.
void follow(SensorState& state, const SensorModel& sensor, Watts power, double until) {
  const double share = std::exp(-(until - state.followed_until) / sensor.traits.time_constant.value());
  state.followed = power.value() + (state.followed - power.value()) * share;
  state.followed_until = until;
}

double counted(SensorState& state, const SensorModel& sensor, const Surroundings& board, Nanoseconds seen) {
  if (!sensor.counts_windows_only) return board.history.energy_at(seen).value();
  return state.value + (board.history.mean(seen - sensor.traits.window, seen) * sensor.traits.period).value();
}

double true_value(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power, double at) {
  const Nanoseconds seen = Nanoseconds(at) - sensor.traits.lag;
  if (sensor.kind == SensorKind::energy) return counted(state, sensor, board, seen);
  if (sensor.traits.response == power::Response::boxcar)
    return board.history.mean(seen - sensor.traits.window, seen).value();
  if (sensor.traits.response == power::Response::lag) follow(state, sensor, power, at);
  return sensor.traits.response == power::Response::lag ? state.followed : power.value();
}

// Returns the reading with gain, offset and noise. The reading of a counter has no noise, because noise averages out.
double distorted(const SensorState& state, const SensorModel& sensor, const Surroundings& board) {
  const auto& [model, history, seed] = board;
  const double exact = model.gain * state.value;
  if (sensor.kind == SensorKind::energy) return exact + (model.offset * Nanoseconds(state.published)).value();
  Random random = draws_of(seed + static_cast<std::uint64_t>(state.phase), static_cast<std::uint64_t>(state.number));
  return (exact + model.offset.value()) * (1.0 + sensor.traits.noise * normal(random));
}

void publish_at(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power,
                std::int64_t number) {
  state.number = number;
  state.published = state.phase + static_cast<double>(number) * sensor.traits.period.value();
  state.value = true_value(state, sensor, board, power, state.published);
  if (!state.frozen) state.shown = distorted(state, sensor, board);
}

}  // namespace

SensorState new_sensor(const SensorModel& sensor, const Surroundings& board, std::uint64_t place, Watts power) {
  SensorState state{};
  state.phase = -draws_of(board.seed, place).uniform() * sensor.traits.period.value();
  state.followed = power.value();
  if (sensor.kind == SensorKind::power)
    state.value = power.value();
  else
    state.origin = -kJoulesBefore;
  state.shown = distorted(state, sensor, board);
  return state;
}

void publish(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power, Nanoseconds now) {
  const auto due = static_cast<std::int64_t>(std::floor((now.value() - state.phase) / sensor.traits.period.value()));
  // Sensors whose value depends on the previous value need every publication. For other sensors, only the last
  // publication matters.
  if (sensor.counts_windows_only || sensor.traits.response == power::Response::lag)
    for (std::int64_t number = state.number + 1; number < due; ++number)
      publish_at(state, sensor, board, power, number);
  if (due > state.number) publish_at(state, sensor, board, power, due);
  if (sensor.traits.response == power::Response::lag) follow(state, sensor, power, now.value());
}

}  // namespace wattune::simulate
