// Characterisation: what a board's sensors are, found by watching them while a load goes on and off.
//
// It takes about 25 seconds, and is kept for each board and driver in the user's cache folder, from where open_board()
// takes it. One thread calls; the caller owns all, and starts the recorder at an interval of 2 ms or so.
//
//   const auto recorder = power::make_recorder(board, power::kCharacterisationInterval);
//   WATTUNE_ASSIGN(const power::Characterisation found, power::characterise(board, *recorder, &load));
//   WATTUNE_TRY(power::store(board, found));
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wattune/power/board.h"

namespace wattune::power {

inline constexpr Nanoseconds kCharacterisationInterval = nanoseconds_from_ms(2);

// Something that makes a board work.
class KnownLoad {
 public:
  virtual ~KnownLoad() = default;
  // Makes ready, which may itself cost power from then on, as a context does.
  virtual Result<void> prepare() = 0;
  // Works without a pause for about so long, and returns when the board has nothing left to do.
  virtual Result<void> run(Nanoseconds time) = 0;
};

struct Characterisation {
  std::map<std::string, SensorTraits> sensors;  // by name; those that were measured
  std::optional<Watts> idle;                    // nothing of ours uses the board
  std::optional<Measured<Watts>> context_idle;  // the load is prepared and does nothing
  std::vector<std::string> problems;  // one line for each sensor of power or energy that could not be measured

  bool operator==(const Characterisation&) const = default;
};

// Idle, idle with a context, then bursts of 80 to 320 ms and pauses as long, whose lengths are
// random so that their edges fall on all phases of a sensor, and a long burst for the noise. Without a load only idle
// power is measured. `say` gets a line for each step. unavailable: no sensor followed the load; as recorder and load.
Result<Characterisation> characterise(Recorder& recorder, KnownLoad* load,
                                      const std::function<void(const std::string&)>& say = {});

// Where that of this board is kept, in the user's cache folder. invalid_argument: there is no such folder, or the board
// has no UUID.
Result<std::filesystem::path> characterisation_file(const Board& board);
// Errors as of characterisation_file(); io_error.
Result<void> store(const Board& board, const Characterisation& characterisation);
// not_found: there is none; mismatch: it is of another driver; parse_error: it is damaged.
Result<Characterisation> load_characterisation(const Board& board);
// The board's sensors have these traits, and the board this idle power.
void adopt(Board& board, const Characterisation& characterisation);

}  // namespace wattune::power
