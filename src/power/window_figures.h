// Computes the figures of a window from its recording and the times of its batches. Pure functions.
#pragma once

#include "power/load_log.h"
#include "power/phases.h"
#include "power/window.h"

namespace wattune::inline v0_1::power {

// A window that was run: batches from `begin` to `end`, which come after the warm-up.
struct RunWindow {
  LoadLog log;
  Nanoseconds begin;
  Nanoseconds end;
  std::optional<Phases> phases;            // the phases at which batches began, if they began at phases
  std::optional<Nanoseconds> ended_after;  // length of the window, if it was shorter than requested
};

// True if the board's temperature changed by at most a degree, NVML's resolution, for this time before the recording's
// end. Also true if no sensor reports the temperature.
bool is_steady(const Recording& recording, Nanoseconds time);

// Computes the figures. Fails with unavailable as measure() does.
Result<WindowFigures> figures_of(const RunWindow& window, const Recording& recording, const EnergyOptions& options);

}  // namespace wattune::power
