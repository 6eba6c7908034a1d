// Opens the journal of a run of `wattune tune`. Checks before the run whether results would be lost. Adds the journal's
// name to an error that ends the run.
#pragma once

#include <filesystem>
#include <memory>

#include "cli/tune/tune_options.h"
#include "wattune/core/trial.h"
#include "wattune/store/journal.h"

namespace wattune::cli {

// Checks whether the journal can be used, before devices are opened and references computed. Errors are those of
// open_journal().
Result<void> check_journal_file(const std::filesystem::path& file, const TuneOptions& options);

Result<std::unique_ptr<store::Journal>> open_journal(const std::filesystem::path& file, const RunInfo& info,
                                                     const store::Placement& placement, const TuneOptions& options);

// Returns the error with the name of the file that holds the results so far. Removes a journal without any Trial, since
// the next run would refuse to overwrite it.
Error ended_early(Error error, store::Journal& journal, const std::filesystem::path& file);

// Checks before the run whether the page of --report can be written. A page that exists is replaced if the journal is
// continued or replaced. Fails as check_new_file() does.
Result<void> check_report_file(const TuneOptions& options);
// Writes the page of --report about these journals, if it was asked for.
Result<void> write_report_of(const std::vector<std::filesystem::path>& journals, const TuneOptions& options);

}  // namespace wattune::cli
