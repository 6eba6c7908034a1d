// EnergyMeter: the energy of whatever runs on a board between two moments of an application.
//
// The recorder outlives the meter, the meter its windows. One thread uses all of them. Windows may overlap and lie
// within each other; sensors are read while one is open. begin() waits for two publications of the board's counter, and
// end() for the next two, so that both ends are known better than to a period: with 100 ms about half a second.
//
//   power::EnergyMeter meter(*recorder);
//   WATTUNE_ASSIGN(power::EnergyWindow window, meter.begin());
//   run_the_application();
//   WATTUNE_ASSIGN(const power::WindowEnergy energy, window.end());
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "wattune/power/integrate.h"
#include "wattune/power/recorder.h"

namespace wattune::power {

// Of the whole board, whoever used it.
struct WindowEnergy {
  Measured<Joules> energy;
  Measured<Watts> power;
  Nanoseconds time;
  std::string sensor;                  // that told
  std::optional<double> disagreement;  // of integrated power with the counter, as a share; none: one sensor alone
};

class EnergyMeter;

// A window is open until end() or its destruction.
class EnergyWindow {
 public:
  EnergyWindow(EnergyWindow&& other) noexcept;
  EnergyWindow& operator=(EnergyWindow&& other) noexcept;
  ~EnergyWindow();

  // unavailable: the counter stands still or was reset; no sensor tells any more. Precondition: it is open.
  Result<WindowEnergy> end();

 private:
  friend class EnergyMeter;
  EnergyWindow(EnergyMeter& meter, Nanoseconds begin) : meter_(&meter), begin_(begin) {}

  EnergyMeter* meter_;  // none: it is closed
  Nanoseconds begin_;
};

class EnergyMeter {
 public:
  explicit EnergyMeter(Recorder& recorder) : recorder_(recorder) {}
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;
  ~EnergyMeter();

  // unavailable: no sensor tells of the board alone, or its counter stands still.
  Result<EnergyWindow> begin();

 private:
  friend class EnergyWindow;
  void close();
  Result<void> settle();
  Result<WindowEnergy> between(Nanoseconds begin, Nanoseconds end);

  Recorder& recorder_;
  std::size_t open_ = 0;
};

}  // namespace wattune::power
