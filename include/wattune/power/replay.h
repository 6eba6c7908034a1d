// Replay: a board that shows what was recorded before, in the time of that recording.
//
// Nothing waits: time passes when the recorder is told to wait. Where the recording ends, its sensors fail. One thread
// uses a Replay, whose board and recorder are its own.
//
//   WATTUNE_ASSIGN(const power::Recording recording, power::load_recording("trace.csv"));
//   power::Replay replay = power::replay(recording);
//   replay.recorder->wait(nanoseconds_from_ms(100));
#pragma once

#include <filesystem>
#include <memory>

#include "wattune/power/board.h"

namespace wattune::power {

struct Replay {
  Board board;
  std::unique_ptr<Recorder> recorder;
};

// A sensor is unavailable before its first reading and after the recording's end.
Replay replay(Recording recording);

// From a table in CSV whose first column is `time_ms` and whose others are named "SENSOR [UNIT]", with the unit W, J, C
// or V. An empty cell says nothing of its sensor. What is known of these sensors is for characterise() to find.
// parse_error: with line and column; not_found.
Result<Recording> load_recording(const std::filesystem::path& file);

}  // namespace wattune::power
