#include "power/nvml_traits.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace wattune::inline v0_1::power {

namespace {

// Values of nvmlDeviceArchitecture_t.
constexpr unsigned kKepler = 2;
constexpr unsigned kMaxwell = 3;
constexpr unsigned kVolta = 5;
constexpr unsigned kTuring = 6;
constexpr unsigned kAmpere = 7;
constexpr unsigned kAda = 8;

SensorTraits boxcar(double period_ms, double window_ms) {
  return {
      .response = Response::boxcar, .period = nanoseconds_from_ms(period_ms), .window = nanoseconds_from_ms(window_ms)};
}

// Returns traits from Guerreiro et al. 2015: time constants of 0.833 s (K20c) and 0.79 s (K40c), and a change every 15
// ms.
SensorTraits kepler() {
  return {.response = Response::lag, .period = nanoseconds_from_ms(15), .time_constant = nanoseconds_from_seconds(0.8)};
}

// True if the board's chip is GA100, as on some of Ampere's boards; NVML names only the board.
bool has_ga100(const std::string& board) {
  static constexpr std::array<std::string_view, 3> kBoards{"A100", "A30", "A800"};
  std::string words = board;
  std::ranges::replace(words, '-', ' ');
  std::istringstream stream(words);
  for (std::string word; stream >> word;)
    if (std::ranges::count(kBoards, word) > 0) return true;
  return false;
}

bool known_between(const NvmlGeneration& generation, unsigned first, unsigned last) {
  return generation.architecture >= first && generation.architecture <= last;
}

// True if the generation is Ampere without GA100, or Ada.
bool averages_100_ms(const NvmlGeneration& generation) {
  return known_between(generation, kAmpere, kAda) && !has_ga100(generation.board);
}

SensorTraits instant(const NvmlGeneration& generation) {
  if (known_between(generation, kKepler, kMaxwell)) return kepler();
  if (known_between(generation, kMaxwell + 1, kVolta)) return boxcar(20, 10);
  if (generation.architecture == kTuring || averages_100_ms(generation)) return boxcar(100, 100);
  return boxcar(100, 25);
}

// True if nvmlDeviceGetPowerUsage() averages over a second. With driver 530 it returned the value of field 186 instead.
bool usage_is_average(const NvmlGeneration& generation) {
  if (generation.architecture == 0 || generation.architecture > kAda) return true;
  return averages_100_ms(generation) && generation.driver != 530;
}

}  // namespace

SensorTraits assumed_traits(const NvmlGeneration& generation, NvmlPower kind) {
  const bool average = kind == NvmlPower::average || (kind == NvmlPower::usage && usage_is_average(generation));
  return average ? boxcar(100, 1000) : instant(generation);
}

SensorTraits assumed_counter_traits(const NvmlGeneration& generation) {
  const double period_ms = generation.architecture == kVolta ? 20 : 100;
  SensorTraits traits = boxcar(period_ms, period_ms);
  traits.response = Response::counter;
  return traits;
}

}  // namespace wattune::power
