// Replay is a board whose sensors show an earlier recording, in the time of that recording.
//
// The host never sleeps: wait() of the recorder only lets the recording's time pass. After the end of the recording the
// sensors fail. A Replay owns its board and recorder; only one thread uses it.
//
//   WATTUNE_ASSIGN(const power::Recording recording, emulation::load_recording("trace.csv"));
//   emulation::Replay replay = emulation::replay(recording);
//   replay.recorder->wait(nanoseconds_from_ms(100));
#pragma once

#include <filesystem>
#include <memory>

#include "wattune/power/board.h"

namespace wattune::emulation {

struct Replay {
  power::Board board;
  std::unique_ptr<power::Recorder> recorder;
};

// Builds a board from a recording. Its sensors are unavailable before their first reading and after the recording's
// end.
Replay replay(power::Recording recording);

// Reads a table in CSV. Its first column is `time_ms`; the others are named "SENSOR [UNIT]", with the unit W, J, C or
// V. An empty cell means that the sensor has no reading then. power::characterise() can find the traits of these
// sensors, such as their periods.
//
// Fails with parse_error, naming the line, or with not_found if there is no such file.
Result<power::Recording> load_recording(const std::filesystem::path& file);

}  // namespace wattune::emulation
