// Runs the sweeps of `wattune corun`: pairs of kernels and their gains in every way in which a machine can run them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun/corun_verdict.h"
#include "cli/program/json.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

struct Prospect;
class SweepJournal;

// Sweeps every pair of the session's kernels, unless the journal (if there is one) has the pair, and calls `take` for
// each pair. Fails with errors of CorunSession::sweep(), of the journal and of `take`.
Result<void> sweep_all(schedule::CorunSession& session, const schedule::SweepOptions& options, SweepJournal* journal,
                       const std::function<Result<void>(schedule::SweptPair)>& take);

std::string sweep_text(const schedule::CorunSession& session, const Prospect& prospect,
                       const schedule::SweptPair& pair);
// Writes the pairs with their prospects. Precondition: there are no more pairs than prospects.
Json sweep_json(const schedule::CorunSession& session, const std::vector<Prospect>& prospects,
                const std::vector<schedule::SweptPair>& pairs);
// Writes a pair with what its journal knows: without prospects, joules and gains in energy, which are null.
Json pair_json(const schedule::SweptPair& pair);
std::string sweep_svg(const schedule::CorunSession& session, const schedule::SweptPair& pair);

// Returns "18.6 J", or a dash if the energy is unknown.
std::string energy_text(std::optional<Joules> energy);

}  // namespace wattune::cli
