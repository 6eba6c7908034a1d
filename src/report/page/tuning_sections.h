// The sections of the page of a tuning run, in the order in which the page has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/interface/page.h"
#include "report/page/tuning_run.h"

namespace wattune::inline v0_1::report {

// Tells what won, how sure that is, and what it is worth over the default.
PageSection answer_section(const TuningRun& run);
// Gives the commands that use the result, or that mend it.
PageSection next_section(const TuningRun& run);
PageSection failures_section(const TuningRun& run);

// These are left out of the page where the results say nothing about them.

std::optional<PageSection> history_section(const TuningRun& run);
std::optional<PageSection> distribution_section(const TuningRun& run);
std::optional<PageSection> importance_section(const TuningRun& run);
std::optional<PageSection> interactions_section(const TuningRun& run);
// Shows the Trials themselves: those of the best, what each value of a parameter reaches, and the data of all others.
std::optional<PageSection> values_section(const TuningRun& run);
std::optional<PageSection> trials_section(const TuningRun& run);
std::optional<PageSection> pareto_section(const TuningRun& run);
std::optional<PageSection> energy_section(const TuningRun& run);
std::optional<PageSection> effort_section(const TuningRun& run);

PageSection device_section(const TuningRun& run);
PageSection identity_section(const TuningRun& run);
PageSection commands_section(const TuningRun& run);

// Compares runs side by side. `names` are those of the runs.
PageSection comparison_section(const std::vector<const TuningRun*>& runs, const std::vector<std::string>& names);

}  // namespace wattune::report
