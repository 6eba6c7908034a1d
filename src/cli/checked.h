// Words what the outputs of results were compared with.
#pragma once

#include <string>

#include "cli/json.h"
#include "wattune/core/identity.h"
#include "wattune/core/trial.h"
#include "wattune/tune/evaluator.h"

namespace wattune::cli {

// Why the outputs of a good configuration were not compared, where they were not.
std::string why_unverified(const Observation& observation);
// "against the default configuration a=1, b=2, as the spec has no reference", where that is so of a good configuration
// of these results; of kernels that run together each with its name. Else empty.
std::string checked_text(const Observation& observation, const Identity& identity);
// "reference", or "default configuration a=1, b=2"; null: with nothing. `best` of the results may be nullptr.
Json checked_against(const Identity& identity, const Trial* best);
// Says on standard error what is not compared, and why.
void note_uncompared(const tune::Verification& verification);

}  // namespace wattune::cli
