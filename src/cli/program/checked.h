// Describes the outputs with which a run compared the outputs of its configurations.
#pragma once

#include <string>

#include "cli/program/json.h"
#include "wattune/core/identity.h"
#include "wattune/core/trial.h"
#include "wattune/tune/evaluator.h"

namespace wattune::cli {

// Returns why the outputs of a correct configuration were not compared.
std::string why_unverified(const Observation& observation);
// Describes the comparison of a correct configuration with the default one: "against the default configuration a=1,
// b=2, as the spec has no reference". If several kernels ran together, describes each by its name. Returns an empty
// text if outputs were compared with a reference.
std::string checked_text(const Observation& observation, const Identity& identity);
// Returns "reference" or "default configuration a=1, b=2"; null if outputs were not compared. `best` is the results'
// best Trial; it may be nullptr.
Json checked_against(const Identity& identity, const Trial* best);
// Prints on standard error which outputs are not compared, and why.
void note_uncompared(const tune::Verification& verification);

}  // namespace wattune::cli
