// What a window showed: pure functions of its recording and of when its batches ran.
#pragma once

#include "power/load_log.h"
#include "power/phases.h"
#include "power/window.h"

namespace wattune::power {

// A window that ran: batches from `begin` to `end` after the warm-up.
struct RunWindow {
  LoadLog log;
  Nanoseconds begin;
  Nanoseconds end;
  std::optional<Phases> phases;            // if batches began at these
  std::optional<Nanoseconds> ended_after;  // its length, where that was shorter than asked for
};

// Whether the board's temperature stood for so long before the recording's end: within a degree, which is the step in
// which NVML tells it. So it does where no sensor tells it.
bool is_steady(const Recording& recording, Nanoseconds time);

// unavailable: as measure().
Result<WindowFigures> figures_of(const RunWindow& window, const Recording& recording, const EnergyOptions& options);

}  // namespace wattune::power
