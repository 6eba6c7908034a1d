// Describes gains and controls for `wattune corun`, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/json.h"
#include "wattune/schedule/round_times.h"

namespace wattune::cli {

// Formats a gain: "+8.3 %". A Gain has the ends of its interval behind it, "+8.3 % (+7.1 to +9.5 %)", unless they are
// equal.
std::string gain_text(double gain);
std::string gain_text(const schedule::Gain& gain);
// Returns ", no difference beyond noise" if the interval contains zero; else an empty text.
std::string noise_text(const schedule::Gain& gain);
// Describes a control that does not hold: "it is off by -14.8 %, and a gain of +7.6 % bears 2.0 % at most".
std::string off_text(const schedule::Control& control, const schedule::Gain& claimed);

// Returns a gain without its interval, or null.
Json gain_json(const std::optional<schedule::Gain>& gain);
// Returns the two ends of the gain's interval, or null.
Json interval_json(const std::optional<schedule::Gain>& gain);
// Returns `off` and `limit` of the control, or null.
Json control_json(const std::optional<schedule::Control>& control);
// Returns the gain of each entrant over the first entrant, with the ends of its interval: [gain, low, high], or null.
Json gains_json(const schedule::RoundTimes& rounds);
// Returns the times in milliseconds.
Json times_json(const std::vector<Nanoseconds>& times);

}  // namespace wattune::cli
