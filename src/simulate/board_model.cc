#include "simulate/interface/board_model.h"

#include <algorithm>
#include <cmath>

#include "simulate/leakage.h"

namespace wattune::inline v0_1::simulate {

namespace {

Megahertz graphics_of(const BoardModel& model, const Operation& operation) {
  return operation.graphics.value_or(model.clocks.back());
}

Watts limit_of(const BoardModel& model, const Operation& operation) {
  return operation.limit.value_or(model.limits.usual);
}

}  // namespace

const BoardModel* find_board_model(const std::string& name) {
  const auto found = std::ranges::find(board_models(), name, &BoardModel::name);
  return found == board_models().end() ? nullptr : &*found;
}

model::PowerCurve power_curve(const BoardModel& model) {
  return {model.idle, model.core_watts_per_mhz, model.voltage_slope, model.voltage_threshold};
}

Watts wanted_power(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature) {
  const Megahertz graphics = graphics_of(model, operation);
  const Megahertz memory = operation.memory.value_or(model.memory_clocks.front());
  return with_leakage(model.idle, temperature) + clocking_power(model, graphics, memory) +
         activity.core * power_curve(model).of_load(graphics) +
         Watts(model.memory_watts_per_mhz * activity.memory * memory.value());
}

Watts clocking_power(const BoardModel& model, Megahertz graphics, Megahertz memory) {
  return Watts(model.core_clocking_watts_per_mhz * graphics.value() +
               model.memory_clocking_watts_per_mhz * memory.value());
}

Watts power_at(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature) {
  return std::min(limit_of(model, operation), wanted_power(model, operation, activity, temperature));
}

Megahertz clock_under_load(const BoardModel& model, const Operation& operation, const Activity& activity,
                           Celsius temperature) {
  const Megahertz asked = graphics_of(model, operation);
  const auto fits = [&](Megahertz clock) {
    const Operation there{.graphics = clock, .memory = operation.memory};
    return wanted_power(model, there, activity, temperature) <= limit_of(model, operation);
  };
  if (fits(asked)) return asked;
  const auto end = std::ranges::upper_bound(model.clocks, asked);
  const auto first_above = std::partition_point(model.clocks.begin(), end, fits);
  return first_above == model.clocks.begin() ? model.clocks.front() : *std::prev(first_above);
}

Megahertz nearest_clock(const std::vector<Megahertz>& clocks, Megahertz clock) {
  return *std::ranges::min_element(clocks, {}, [&](Megahertz each) { return std::abs((each - clock).value()); });
}

double thermal_resistance(const BoardModel& model) {
  return (model.at_limit - model.ambient).value() / model.limits.usual.value();
}

}  // namespace wattune::simulate
