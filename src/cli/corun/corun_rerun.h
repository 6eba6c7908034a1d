// Describes, as text and JSON, the reruns of a swept pair: its best ways ran again in turns beside `paired`.
#pragma once

#include <optional>
#include <string>

#include "cli/corun/corun_verdict.h"
#include "cli/program/json.h"
#include "wattune/schedule/swept_pair.h"

namespace wattune::cli {

// Returns the pair's names and the reason why its gain is withheld; empty if the gain is reported. If `claimed` is
// given, the pair's control must also be exact enough for that gain over several pairs.
std::string why_withheld_of(const schedule::SweptPair& pair, const std::optional<schedule::Gain>& claimed = {});

// Describes the verdict on a pair.
std::string verdict_text(const schedule::SweptPair& pair);
Json verdict_json(const schedule::SweptPair& pair);
Json rerun_json(const schedule::SweptPair& pair);

}  // namespace wattune::cli
