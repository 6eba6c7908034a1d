// The journal of a run of `wattune tune`: refused early if results would be lost, opened, and named if a run ends
// early.
#pragma once

#include <filesystem>
#include <memory>

#include "cli/tune/tune_options.h"
#include "wattune/core/trial.h"
#include "wattune/store/journal.h"

namespace wattune::cli {

// Refuses what open_journal() would refuse only after devices were opened and references computed.
Result<void> check_journal_file(const std::filesystem::path& file, const TuneOptions& options);

Result<std::unique_ptr<store::Journal>> open_journal(const std::filesystem::path& file, const RunInfo& info,
                                                     const store::Placement& placement, const TuneOptions& options);

// Adds to the error where the results so far are. Removes a journal without any Trial, which would only be in the way
// of the next run.
Error ended_early(Error error, store::Journal& journal, const std::filesystem::path& file);

}  // namespace wattune::cli
