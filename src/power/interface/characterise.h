// Characterises the sensors of a board: finds their traits by reading them while a load is switched on and off.
//
// It takes about 25 seconds. The result is kept for each board and driver in the user's cache folder, where
// open_board() finds it. One thread calls; the caller owns everything, and starts the recorder at an interval of about
// 2 ms.
//
//   const auto recorder = power::make_recorder(board, power::kCharacterisationInterval);
//   WATTUNE_ASSIGN(const power::Characterisation found, power::characterise(*recorder, &load));
//   WATTUNE_TRY(power::store(board, found));
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {

// Interval at which the recorder reads during a characterisation.
inline constexpr Nanoseconds kCharacterisationInterval = nanoseconds_from_ms(2);

// A load that makes a board work.
class KnownLoad {
 public:
  virtual ~KnownLoad() = default;
  // Prepares the load. From then on the load may itself cost power, as a context does. Fails as a device does.
  virtual Result<void> prepare() = 0;
  // Works without a pause for about this time. Returns when the board has nothing left to do. Fails as a device does.
  virtual Result<void> run(Nanoseconds time) = 0;
};

// The traits of a board's sensors, and its power at rest.
struct Characterisation {
  std::map<std::string, SensorTraits> sensors;  // traits of the measured sensors, by name
  std::optional<Watts> idle;                    // power while this process does not use the board
  std::optional<Measured<Watts>> context_idle;  // power while the load is prepared and does nothing
  std::vector<std::string> problems;  // one line for each sensor of power or energy that could not be measured

  bool operator==(const Characterisation&) const = default;
};

// Measures the sensors: at rest, at rest with a context, then during bursts of 80 to 320 ms with pauses as long, and
// during a long burst for the noise. The lengths are random, so that edges fall on all phases of a sensor. Without a
// load only idle power is measured. `say` gets a line for each step. Fails with unavailable if no sensor followed the
// load; otherwise with errors of the recorder and the load.
Result<Characterisation> characterise(Recorder& recorder, KnownLoad* load,
                                      const std::function<void(const std::string&)>& say = {});

// Returns the file for this board in the user's cache folder. Fails with invalid_argument if there is no such folder or
// the board has no UUID.
Result<std::filesystem::path> characterisation_file(const Board& board);
// Writes the file. Fails as characterisation_file() does, with invalid_argument if others may write to the folder, or
// with io_error.
Result<void> store(const Board& board, const Characterisation& characterisation);
// Reads the file. Fails with not_found if there is no file, with mismatch if it is of another driver, with parse_error
// if it is damaged. Fails with invalid_argument if others may write to the folder.
Result<Characterisation> load_characterisation(const Board& board);
// Sets the board's sensor traits and idle power from the characterisation, and adds its problems to Board::missing.
void adopt(Board& board, const Characterisation& characterisation);

}  // namespace wattune::power
