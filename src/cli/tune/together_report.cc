#include "cli/tune/together_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/program/text.h"
#include "core/interface/printable.h"

namespace wattune::cli {

namespace {

using company::AgainstChoice;
using company::CompanyReport;
using company::MemberResult;

// Returns how much longer the member takes alone with its chosen configuration than with its best configuration alone,
// as a share.
double lost_alone(const MemberResult& member) { return member.alone / member.best_alone_time - 1.0; }

std::string member_text(const MemberResult& member, std::size_t repetitions) {
  const std::string times = repetitions > 1 ? fmt::format(", {} times", repetitions) : "";
  const std::string resident =
      member.resident_blocks > 0 ? fmt::format(", resident blocks {}", member.resident_blocks) : "";
  std::string text = fmt::format("{}{}: {}{}\n  beside the others {}, alone {}", printable(member.name), times,
                                 printable(member.configuration.to_string()), resident, format_time(member.beside),
                                 format_time(member.alone));
  if (!member.best_alone) return text + "\n";
  if (member.best_alone->id() == member.configuration.id()) return text + ", which is its best alone as well\n";
  return text + fmt::format(", which loses {:.1f} % against its best alone: {}, {}\n", 100.0 * lost_alone(member),
                            printable(member.best_alone->to_string()), format_time(member.best_alone_time));
}

std::string figure_of(const Observation& observation) {
  return observation.objective_value ? fmt::format("{:.4g} J", *observation.objective_value)
                                     : format_time(observation.statistics->median);
}

// Describes the configurations with which the result is compared: each kernel's best when tuned alone.
std::string at_best_alone(const AgainstChoice& choice) {
  return choice.ratios > 1 ? fmt::format("Each at its best alone, at the best of {} ratios", choice.ratios)
                           : "Each at its best alone";
}

std::string against_text(const CompanyReport& report) {
  if (!report.tuned_alone) return "";
  const AgainstChoice& choice = *report.tuned_alone;
  const std::string what = at_best_alone(choice);
  if (!choice.observation.ok())
    return fmt::format("{}, they cannot run together: {}\n", what, choice.observation.message);
  if (!choice.gain) return what + " is the best together, too.\n";
  const double saved = 1.0 - 1.0 / choice.gain->median;
  return fmt::format(
      "{}, together they take {}: {:.3f} times the best ({:.3f} to {:.3f}, in turns)\n"
      "Tuned for each other they take {:.1f} % {} than that.\n",
      what, figure_of(choice.observation), choice.gain->median, choice.gain->low, choice.gain->high,
      100.0 * std::abs(saved), saved < 0.0 ? "more" : "less");
}

// Returns the time of the kernels one after the other, each with its best configuration alone, divided by their time
// together. If the result is below 1, running together is slower. Returns nullopt if the first time is unknown.
std::optional<double> gain_over_in_turn(const CompanyReport& report) {
  if (!report.tuning.best || !(report.in_turn > Nanoseconds())) return std::nullopt;
  return report.in_turn / report.tuning.best->observation.statistics->median;
}

std::string in_turn_text(const CompanyReport& report) {
  const std::optional<double> gain = gain_over_in_turn(report);
  if (!gain) return "";
  const Nanoseconds together = report.tuning.best->observation.statistics->median;
  const std::string outcome = *gain < 1.0   ? fmt::format("running them together loses {:.1f} %", 100.0 / *gain - 100.0)
                              : *gain > 1.0 ? fmt::format("running them together saves {:.1f} %", 100.0 - 100.0 / *gain)
                                            : "running them together gains nothing";
  return fmt::format(
      "Each at its best alone, one after the other they take {}\n"
      "Together they take {}: {}\n",
      format_time(report.in_turn), format_time(together), outcome);
}

Json time_json(Nanoseconds time) { return to_ms(time); }

Json member_json(const MemberResult& member, std::size_t repetitions) {
  Json json = {{"name", member.name},
               {"configuration", to_json(member.configuration)},
               {"resident_blocks", member.resident_blocks},
               {"repetitions", repetitions},
               {"beside_ms", time_json(member.beside)},
               {"alone_ms", time_json(member.alone)},
               {"best_alone", nullptr},
               {"best_alone_ms", nullptr},
               {"lost_alone", nullptr}};
  if (!member.best_alone) return json;
  json["best_alone"] = to_json(*member.best_alone);
  json["best_alone_ms"] = time_json(member.best_alone_time);
  json["lost_alone"] = lost_alone(member);
  return json;
}

Json against_json(const CompanyReport& report) {
  if (!report.tuned_alone) return nullptr;
  const AgainstChoice& choice = *report.tuned_alone;
  Json json = {{"configuration", to_json(choice.configuration)},
               {"ratios", choice.ratios},
               {"status", to_string(choice.observation.status)},
               {"time_ms", nullptr},
               {"energy_J", nullptr},
               {"gain", nullptr},
               {"gain_interval", nullptr}};
  if (choice.observation.ok()) json["time_ms"] = time_json(choice.observation.statistics->median);
  if (choice.observation.objective_value) json["energy_J"] = *choice.observation.objective_value;
  if (!choice.gain) return json;
  json["gain"] = choice.gain->median;
  json["gain_interval"] = {choice.gain->low, choice.gain->high};
  return json;
}

}  // namespace

std::string together_text(const Summary& summary, const company::CompanySession& session,
                          const company::CompanyReport& report) {
  std::string text = summary_text(summary);
  if (!report.members.empty()) text += "\n";
  for (std::size_t k = 0; k < report.members.size(); ++k)
    text += member_text(report.members[k], session.repetitions()[k]);
  return text + in_turn_text(report) + against_text(report);
}

std::string together_json(const Summary& summary, const company::CompanySession& session,
                          const company::CompanyReport& report) {
  Json json = summary_document(summary);
  json["together"] = {{"kernels", Json::array()},
                      {"tuned_alone", against_json(report)},
                      {"in_turn_ms", nullptr},
                      {"gain_over_in_turn", json_or_null(gain_over_in_turn(report))}};
  if (report.in_turn > Nanoseconds()) json["together"]["in_turn_ms"] = time_json(report.in_turn);
  for (std::size_t k = 0; k < report.members.size(); ++k)
    json["together"]["kernels"].push_back(member_json(report.members[k], session.repetitions()[k]));
  return dump(json);
}

}  // namespace wattune::cli
