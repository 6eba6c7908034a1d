#include "cli/program/checked.h"

#include <fmt/format.h>

#include "cli/program/terminal.h"
#include "core/interface/printable.h"
#include "tune/interface/describe_run.h"

namespace wattune::cli {

namespace {

std::string standard_in(const Identity& identity) {
  constexpr std::string_view kOf = "reference of ";
  std::string all;
  for (const auto& [part, value] : identity) {
    if (!value.starts_with(tune::kDefaultIsReference)) continue;
    if (part == "reference") return value;
    if (part.starts_with(kOf))
      all += fmt::format("{}{} of {}", all.empty() ? "" : "; ", value, part.substr(kOf.size()));
  }
  return all;
}

}  // namespace

// Returns the recorded reason; results of older versions have none and get "no reference".
std::string why_unverified(const Observation& observation) {
  return observation.message.empty() ? "no reference" : observation.message;
}

std::string checked_text(const Observation& observation, const Identity& identity) {
  const std::string standard = standard_in(identity);
  if (!observation.verified || standard.empty()) return {};
  return fmt::format("against the {}, as the spec has no reference", standard);
}

Json checked_against(const Identity& identity, const Trial* best) {
  if (best != nullptr && !best->observation.verified) return nullptr;
  const std::string standard = standard_in(identity);
  if (!standard.empty()) return standard;
  return best != nullptr ? Json("reference") : Json(nullptr);
}

void note_uncompared(const tune::Verification& verification) {
  if (!verification.why_not.empty()) print_note("outputs are not verified: " + printable(verification.why_not));
  for (const std::string& each : verification.left_out) print_note(printable(each));
}

}  // namespace wattune::cli
