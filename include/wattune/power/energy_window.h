// EnergyMeter measures the energy of anything that runs on a board between two moments of an application.
//
// The recorder must outlive the meter, and the meter must outlive its windows. One thread uses all of them. Windows may
// overlap and lie within each other; sensors are read while one is open. begin() waits for two publications of the
// board's counter, and end() for the next two. So both ends are known more exactly than to the counter's period. Each
// wait takes about a quarter of a second if the period is 100 ms.
//
//   power::EnergyMeter meter(*recorder);
//   WATTUNE_ASSIGN(power::EnergyWindow window, meter.begin());
//   run_the_application();
//   WATTUNE_ASSIGN(const power::WindowEnergy energy, window.end());
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "wattune/core/export.h"
#include "wattune/power/energy.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// The energy of the whole board in a window, whoever used it.
struct WATTUNE_EXPORT WindowEnergy {
  Measured<Joules> energy;
  Measured<Watts> power;
  Nanoseconds time;
  std::string sensor;                  // the sensor that was used
  std::optional<double> disagreement;  // integrated power over the counter, less 1; empty with one sensor
};

class EnergyMeter;

// A window of measuring. It is open until end() or until its destruction.
class WATTUNE_EXPORT EnergyWindow {
 public:
  EnergyWindow(EnergyWindow&& other) noexcept;
  EnergyWindow& operator=(EnergyWindow&& other) noexcept;
  ~EnergyWindow();

  // Closes the window. Fails with unavailable if the counter stands still or was reset, or if no sensor reports any
  // more. Precondition: it is open.
  Result<WindowEnergy> end();

 private:
  friend class EnergyMeter;
  EnergyWindow(EnergyMeter& meter, Nanoseconds begin) : meter_(&meter), begin_(begin) {}

  EnergyMeter* meter_;  // nullptr once the window is closed
  Nanoseconds begin_;
};

// A meter of one board, which opens windows.
class WATTUNE_EXPORT EnergyMeter {
 public:
  explicit EnergyMeter(Recorder& recorder) : recorder_(recorder) {}
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;
  ~EnergyMeter();

  // Opens a window. Fails with unavailable if no sensor covers the board alone, or if its counter stands still.
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
