#include "cli/corun/corun_rerun.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/program/text.h"

namespace wattune::cli {

namespace {

using schedule::SweepRow;
using schedule::SweptPair;
using schedule::Withheld;

// Describes why a pair's gain is withheld; empty if it is reported.
std::string why_withheld(const schedule::PairVerdict& verdict) {
  switch (verdict.withheld) {
    case Withheld::no: return "";
    case Withheld::not_run_again:
      return "the pair was swept by an older version, which did not run the best ways again (sweep it anew)";
    case Withheld::one_round: return "one round tells nothing of noise (--repeats 5)";
    case Withheld::failed_again: return "the way that was best in the sweep failed when it ran again";
    case Withheld::control_off:
      return fmt::format(
          "one after the other should take what both take alone; {}. Something else runs here, or runs are too short "
          "(--least-time)",
          off_text(*verdict.control, *verdict.gain));
  }
  return "";
}

std::string other_text(const SweptPair& pair, const SweepRow& best) {
  const bool shares_win = schedule::is_share(best);
  const SweepRow* other = pair.sweep.best(shares_win ? schedule::is_baseline : schedule::is_share);
  const auto gain = other == nullptr ? std::nullopt : gain_over_alone(pair, *other);
  if (!gain) return "";
  const auto lead = gain_between(pair, best, *other);
  return fmt::format("; the best {}, {}, {}{}", shares_win ? "baseline" : "shares",
                     describe(other->arrangement, pair.limits), gain_text(*gain),
                     noise_text(lead.value_or(schedule::Gain())));
}

}  // namespace

std::string why_withheld_of(const SweptPair& pair, const std::optional<schedule::Gain>& claimed) {
  schedule::PairVerdict verdict = verdict_of(pair);
  if (claimed && verdict.withheld == Withheld::no && verdict.control) {
    verdict.gain = claimed;
    verdict.control = schedule::control_of(verdict.control->off, claimed->gain);
    if (!verdict.control->holds()) verdict.withheld = Withheld::control_off;
  }
  const std::string why = why_withheld(verdict);
  return why.empty() ? "" : fmt::format("{} with {}: {}", pair.names[0], pair.names[1], why);
}

std::string verdict_text(const SweptPair& pair) {
  const schedule::PairVerdict verdict = verdict_of(pair);
  if (verdict.best == nullptr) return "None of the ways could be run.\n";
  if (verdict.withheld != Withheld::no) return fmt::format("No verdict: {}.\n", why_withheld(verdict));
  const std::string how = describe(verdict.best->arrangement, pair.limits);
  const std::string times = fmt::format("{} instead of {}", format_time(time_again(pair, *verdict.best)),
                                        format_time(time_alone_again(pair)));
  if (!verdict.gains())
    return fmt::format("Nothing gains: the best way together, {}, takes {}: {}{}.\n", how, times,
                       gain_text(*verdict.gain), noise_text(*verdict.gain));
  return fmt::format("Together they take {}: {}, with {}{}.\n", times, gain_text(*verdict.gain), how,
                     other_text(pair, *verdict.best));
}

Json verdict_json(const SweptPair& pair) {
  const schedule::PairVerdict verdict = verdict_of(pair);
  Json json = {{"best", nullptr},
               {"gains", verdict.gains()},
               {"gain", nullptr},
               {"interval", nullptr},
               {"control", control_json(verdict.control)},
               {"withheld", nullptr}};
  if (verdict.best == nullptr) return json;
  if (verdict.withheld != Withheld::no) return json["withheld"] = why_withheld(verdict), json;
  json["best"] = verdict.best - pair.sweep.rows.data();
  json["gain"] = verdict.gain->gain;
  json["interval"] = interval_json(verdict.gain);
  return json;
}

Json rerun_json(const SweptPair& pair) {
  if (pair.rerun.times.times.empty()) return nullptr;
  Json json = {
      {"entrants", Json::array({"alone"})}, {"orders", pair.rerun.times.orders}, {"makespans_ms", Json::array()}};
  for (const std::size_t row : pair.rerun.rows) json["entrants"].push_back(row);
  json["entrants"].push_back("planned");
  for (const auto& times : pair.rerun.times.times) json["makespans_ms"].push_back(times_json(times));
  json["gains"] = gains_json(pair.rerun.times);
  return json;
}

}  // namespace wattune::cli
