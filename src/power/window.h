// One window of the protocol: a load runs until the sensors show it alone, and then for as long as was asked for.
#pragma once

#include <functional>

#include "wattune/power/energy.h"

namespace wattune::power {

// Runs so many launches, or so many set-ups.
using RunBatch = std::function<Result<Load::Batch>(std::size_t)>;

struct WindowFigures {
  Cost cost;           // of one launch
  std::string sensor;  // that told
  std::optional<double> disagreement;
  bool phased = false;
  BoardConditions conditions;
  std::optional<Nanoseconds> ended_after = {};  // where what it showed until then was enough
};

// Whether what a window shows so far is enough; empty: only all of it is.
using IsEnough = std::function<bool(const WindowFigures&)>;

// The heat in which a window begins: whatever there is, or such that the temperature stands, as far as there is time.
enum class Heat { any, steady };

// Within `options.budget`. Errors as of measure().
Result<WindowFigures> measure_window(Recorder& recorder, const RunBatch& run, const EnergyOptions& options,
                                     Heat heat = Heat::any, const IsEnough& is_enough = {});

}  // namespace wattune::power
