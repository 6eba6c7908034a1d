// Replay is a board that shows an earlier recording, in the time of that recording.
//
// Nothing waits: time passes when the recorder is told to wait. After the end of the recording the sensors fail. One
// thread uses a Replay, which owns its board and recorder.
//
//   WATTUNE_ASSIGN(const power::Recording recording, power::load_recording("trace.csv"));
//   power::Replay replay = power::replay(recording);
//   replay.recorder->wait(nanoseconds_from_ms(100));
#pragma once

#include <filesystem>
#include <memory>

#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {

struct Replay {
  Board board;
  std::unique_ptr<Recorder> recorder;
};

// Builds a board from a recording. Its sensors are unavailable before their first reading and after the recording's
// end.
Replay replay(Recording recording);

// Reads a table in CSV. Its first column is `time_ms`, and the others are named "SENSOR [UNIT]", with the unit W, J, C
// or V. An empty cell has no reading. characterise() can find the traits of these sensors. Fails with parse_error,
// naming the line, or with not_found if there is no such file.
Result<Recording> load_recording(const std::filesystem::path& file);

}  // namespace wattune::power
