// Placement: finds the configuration of a space for a Trial that was recorded in another space, or in an earlier form
// of this one. Any thread may call.
//
//   WATTUNE_ASSIGN(auto placement, session->placement());
//   WATTUNE_ASSIGN(auto journal, store::Journal::open(file, session->describe(), store::Resume::checked, placement));
#pragma once

#include <functional>
#include <optional>

#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

// Returns the configuration of the space with the same names and values; nullopt if there is none. Values must also be
// written the same, because 2 and 2.0 give different code.
WATTUNE_EXPORT std::optional<Configuration> place(const space::SearchSpace& space, const Configuration& recorded);

// A place() for Trials, which also considers what the kernel takes. Returns nullopt for a Trial whose recorded
// resources break a resource constraint of the spec, and for one that failed as `constraints` under other resource
// constraints.
using Placement = std::function<std::optional<Configuration>(const Trial& trial, const RunInfo& recorded)>;
// Makes a Placement in the space, which outlives it. Fails with parse_error or not_found if a resource constraint of
// the spec is wrong.
WATTUNE_EXPORT Result<Placement> placement(const KernelSpec& spec, const space::SearchSpace& space);

// Continues with the former default configuration as the reference, for runs without a reference whose default has
// changed. If the default was another one when `recorded` was measured, evaluates that one, which compares its outputs
// with those of the present default. If they agree, `info` gets the reference of `recorded`, with which its journal
// goes on.
// Fails with mismatch if they do not agree, or if the space lacks the former default.
WATTUNE_EXPORT Result<void> adopt_former_reference(const space::SearchSpace& space, Evaluator& evaluator,
                                                   const RunInfo& recorded, RunInfo& info);

}  // namespace wattune::tune
