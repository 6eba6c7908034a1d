// Runs one window of an energy measurement: a load runs until the sensors show it alone, then for the requested time.
#pragma once

#include <functional>

#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

// A function that runs this many launches, or this many set-ups.
using RunBatch = std::function<Result<Load::Batch>(std::size_t)>;

struct WindowFigures {
  Cost cost;                // cost of one launch
  double time_error = 0.0;  // standard error of the time of a launch, as a share, from the differences between launches
  std::string sensor;       // name of the sensor that was used
  std::optional<double> disagreement;
  bool phased = false;
  BoardConditions conditions;
  std::optional<double> drift = {};             // drift, with the meaning of EnergyFigures::drift
  std::optional<Nanoseconds> ended_after = {};  // length of the window if it ended early, because these readings were
                                                // enough
};

// A function that tells from a window's figures so far whether the window may end early. An empty function lets each
// window last its whole time.
using IsEnough = std::function<bool(const WindowFigures&)>;

// The temperature at which a window begins: any, or a steady one if there is time to wait for it.
enum class Heat { any, steady };

// Runs a window within `options.budget`. Fails as measure() does.
Result<WindowFigures> measure_window(Recorder& recorder, const RunBatch& run, const EnergyOptions& options,
                                     Heat heat = Heat::any, const IsEnough& is_enough = {});

}  // namespace wattune::power
