#include "cli/corun/corun_verdict.h"

#include <fmt/format.h>

namespace wattune::cli {

std::string gain_text(double gain) { return fmt::format("{:+.1f} %", 100.0 * gain); }

std::string gain_text(const schedule::Gain& gain) {
  if (gain.low == gain.high) return gain_text(gain.gain);
  return fmt::format("{} ({:+.1f} to {:+.1f} %)", gain_text(gain.gain), 100.0 * gain.low, 100.0 * gain.high);
}

std::string noise_text(const schedule::Gain& gain) {
  return gain.excludes_zero() ? "" : ", no difference beyond noise";
}

std::string off_text(const schedule::Control& control, const schedule::Gain& claimed) {
  return fmt::format("it is off by {}, and a gain of {} bears {:.1f} % at most", gain_text(control.off),
                     gain_text(claimed.gain), 100.0 * control.limit);
}

Json gain_json(const std::optional<schedule::Gain>& gain) { return gain ? Json(gain->gain) : Json(nullptr); }

Json interval_json(const std::optional<schedule::Gain>& gain) {
  return gain ? Json({gain->low, gain->high}) : Json(nullptr);
}

Json control_json(const std::optional<schedule::Control>& control) {
  return control ? Json({{"off", control->off}, {"limit", control->limit}}) : Json(nullptr);
}

Json gains_json(const schedule::RoundTimes& rounds) {
  Json json = Json::array();
  for (std::size_t entrant = 0; entrant < rounds.times.size(); ++entrant) {
    const auto gain = schedule::gain_over(rounds, entrant, 0);
    json.push_back(gain ? Json({gain->gain, gain->low, gain->high}) : Json(nullptr));
  }
  return json;
}

Json times_json(const std::vector<Nanoseconds>& times) {
  Json json = Json::array();
  for (const Nanoseconds time : times) json.push_back(to_ms(time));
  return json;
}

}  // namespace wattune::cli
