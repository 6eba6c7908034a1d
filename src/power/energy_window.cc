#include "wattune/power/energy_window.h"

#include <utility>

#include "power/board_sensors.h"

namespace wattune::inline v0_1::power {

EnergyWindow::EnergyWindow(EnergyWindow&& other) noexcept
    : meter_(std::exchange(other.meter_, nullptr)), begin_(other.begin_) {}

EnergyWindow& EnergyWindow::operator=(EnergyWindow&& other) noexcept {
  std::swap(meter_, other.meter_);
  std::swap(begin_, other.begin_);
  return *this;
}

EnergyWindow::~EnergyWindow() {
  if (meter_ != nullptr) meter_->close();
}

Result<WindowEnergy> EnergyWindow::end() {
  EnergyMeter& meter = *std::exchange(meter_, nullptr);
  const Nanoseconds end = meter.recorder_.now();
  const Result<void> settled = meter.settle();
  Result<WindowEnergy> energy = settled ? meter.between(begin_, end) : settled.error();
  meter.close();
  return energy;
}

EnergyMeter::~EnergyMeter() {
  if (open_ > 0) (void)recorder_.stop();
}

Result<EnergyWindow> EnergyMeter::begin() {
  if (open_ == 0) WATTUNE_TRY(recorder_.start());
  ++open_;
  EnergyWindow window(*this, recorder_.now());
  if (open_ > 1) return window;
  WATTUNE_TRY(settle());
  window.begin_ = recorder_.now();
  return window;
}

void EnergyMeter::close() {
  if (--open_ == 0) (void)recorder_.stop();
}

// Waits for two publications of every sensor and a reading after them. They show the power before and after this end of
// the window.
Result<void> EnergyMeter::settle() {
  constexpr double kSettlingPeriods = 2.5;
  WATTUNE_ASSIGN(const Recording recording, recorder_.so_far());
  WATTUNE_ASSIGN(const BoardSensors sensors, BoardSensors::in(recording));
  recorder_.wait(kSettlingPeriods * sensors.period() + sensors.lag());
  return {};
}

Result<WindowEnergy> EnergyMeter::between(Nanoseconds begin, Nanoseconds end) {
  WATTUNE_ASSIGN(const Recording recording, recorder_.so_far());
  WATTUNE_ASSIGN(const BoardSensors sensors, BoardSensors::in(recording));
  const auto integrated = [&] { return integrate(*sensors.power, begin, end); };
  const bool counts = sensors.counter != nullptr;
  WATTUNE_ASSIGN(const Measured<Joules> energy, counts ? counted(*sensors.counter, begin, end) : integrated());
  const Nanoseconds time = end - begin;
  WindowEnergy told{.energy = energy,
                    .power = {energy.value / time, energy.uncertainty / time},
                    .time = time,
                    .sensor = counts ? sensors.counter->sensor.name : sensors.power->sensor.name};
  if (!counts || sensors.power == nullptr) return told;
  WATTUNE_ASSIGN(const Measured<Joules> other, integrated());
  told.disagreement = other.value / energy.value - 1.0;
  return told;
}

}  // namespace wattune::power
