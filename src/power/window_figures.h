// Computes the figures of a window. Pure functions of its recording and of the times of its batches.
#pragma once

#include "power/load_log.h"
#include "power/phases.h"
#include "power/window.h"

namespace wattune::inline v0_1::power {

// A window that ran: batches from `begin` to `end` after the warm-up.
struct RunWindow {
  LoadLog log;
  Nanoseconds begin;
  Nanoseconds end;
  std::optional<Phases> phases;            // if batches began at these phases
  std::optional<Nanoseconds> ended_after;  // its length, if it was shorter than asked for
};

// True if the board's temperature was steady for so long before the recording's end: within a degree, which is NVML's
// resolution. True if no sensor reports the temperature.
bool is_steady(const Recording& recording, Nanoseconds time);

// Computes the figures. Fails with unavailable as measure() does.
Result<WindowFigures> figures_of(const RunWindow& window, const Recording& recording, const EnergyOptions& options);

}  // namespace wattune::power
