// Placement: which configuration of a space a Trial counts for that was recorded in another space, or in an earlier
// form of this one. Any thread may call.
//
//   WATTUNE_ASSIGN(auto placement, placement(session->spec(), session->space()));
//   WATTUNE_ASSIGN(auto journal, store::Journal::open(file, session->describe(), store::Resume::checked, placement));
#pragma once

#include <functional>
#include <optional>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

// The configuration of the space with the same names and values, each written the same, because 2 and 2.0 are different
// code; none: the space has none.
std::optional<Configuration> place(const space::SearchSpace& space, const Configuration& recorded);

// place() for Trials, where what the kernel takes counts too: none for a Trial whose recorded resources break a
// resource constraint of the spec, nor for one that failed as `constraints` under other resource constraints. The space
// outlives it. parse_error, not_found: a resource constraint.
using Placement = std::function<std::optional<Configuration>(const Trial& trial, const RunInfo& recorded)>;
Result<Placement> placement(const KernelSpec& spec, const space::SearchSpace& space);

// Without a reference the default configuration's outputs are the reference. Where it was another one when `recorded`
// was measured, that is evaluated, so that its outputs are compared with those of this default; where they agree,
// `info` gets the reference of then, with which its journal goes on. mismatch: they do not, or the space lacks it.
Result<void> adopt_former_reference(const space::SearchSpace& space, Evaluator& evaluator, const RunInfo& recorded,
                                    RunInfo& info);

}  // namespace wattune::tune
