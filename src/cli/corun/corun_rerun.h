// Describes, as text and JSON, the best ways of a swept pair, which ran again in turns beside `paired`.
#pragma once

#include <optional>
#include <string>

#include "cli/corun/corun_verdict.h"
#include "cli/program/json.h"
#include "wattune/schedule/swept_pair.h"

namespace wattune::cli {

// Returns the names of a pair and why its gains are withheld; empty if they are reported. If `claimed` is given, a gain
// over several pairs, the control must also be exact enough for that gain.
std::string why_withheld_of(const schedule::SweptPair& pair, const std::optional<schedule::Gain>& claimed = {});

// Describes the verdict on a pair.
std::string verdict_text(const schedule::SweptPair& pair);
Json verdict_json(const schedule::SweptPair& pair);
Json rerun_json(const schedule::SweptPair& pair);

}  // namespace wattune::cli
