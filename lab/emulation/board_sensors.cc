#include "lab/emulation/board_sensors.h"

#include <cmath>
#include <type_traits>

namespace wattune::emulation {

namespace {

Error lost() { return Error(ErrorCode::device_lost, "the simulated board fell off the bus"); }

// A sensor whose readings come from the function `ask`.
template <typename T, typename Ask>
class ShownSensor : public power::Sensor<T> {
 public:
  ShownSensor(const simulate::SimulatedBoard& board, power::SensorInfo info, Ask ask)
      : board_(board), info_(std::move(info)), ask_(std::move(ask)) {}

  const power::SensorInfo& info() const override { return info_; }
  Result<power::Reading<T>> read() override {
    if (board_.lost()) return lost();
    return power::Reading<T>{board_.now(), T(ask_(board_))};
  }

 private:
  const simulate::SimulatedBoard& board_;
  const power::SensorInfo info_;
  const Ask ask_;
};

template <typename T, typename Ask>
std::unique_ptr<power::Sensor<T>> shown_sensor(const simulate::SimulatedBoard& board, const std::string& name,
                                               const power::SensorTraits& traits, Ask ask) {
  return std::make_unique<ShownSensor<T, Ask>>(board, power::SensorInfo{"simulated." + name, power::Scope::gpu, traits},
                                               ask);
}

class SimulatedConditions : public backend::Sensors {
 public:
  explicit SimulatedConditions(const simulate::SimulatedBoard& board) : board_(board) {}

  Result<backend::SensorReadings> read() override {
    if (board_.lost()) return lost();
    return backend::SensorReadings{.conditions = {board_.clock(), board_.capped()}};
  }

 private:
  const simulate::SimulatedBoard& board_;
};

// Returns the temperature in whole degrees, because NVML gives no fractions.
double whole_degrees(const simulate::SimulatedBoard& board) { return std::round(board.temperature().value()); }

double volts(const simulate::SimulatedBoard& board) {
  return board.model().lowest_voltage.value() * power_curve(board.model()).voltage(board.clock());
}

}  // namespace

power::Board sensors_of(simulate::SimulatedBoard& board) {
  power::Board sensors;
  sensors.name = board.model().name;
  sensors.uuid = "simulated-" + board.model().name;
  sensors.driver = "simulated";
  for (std::size_t i = 0; i < board.model().sensors.size(); ++i) {
    const simulate::SensorModel& model = board.model().sensors[i];
    const auto ask = [i](const simulate::SimulatedBoard& asked) { return asked.shown(i); };
    if (model.kind == simulate::SensorKind::energy)
      sensors.energy.push_back(shown_sensor<Joules>(board, model.name, model.traits, ask));
    else
      sensors.power.push_back(shown_sensor<Watts>(board, model.name, model.traits, ask));
  }
  const power::SensorTraits direct{.response = power::Response::direct};
  sensors.temperature.push_back(shown_sensor<Celsius>(board, "temperature", direct, whole_degrees));
  sensors.voltage.push_back(shown_sensor<Volts>(board, "voltage", direct, volts));
  sensors.conditions = std::make_unique<SimulatedConditions>(board);
  if (board.model().sensors.empty()) sensors.missing.emplace_back("power: the board has no sensor");
  return sensors;
}

}  // namespace wattune::emulation
