#include "cli/tune/tune_journal.h"

#include <fmt/format.h>

#include <fstream>

#include "cli/pages/report_file.h"
#include "cli/program/output_file.h"
#include "cli/program/terminal.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

ResultsUse use_of(const TuneOptions& options) {
  return {.resume = options.resume || options.force_resume, .overwrite = options.overwrite};
}

bool has_only_header(const fs::path& journal) {
  std::ifstream stream(journal);
  std::string line;
  return std::getline(stream, line) && !std::getline(stream, line);
}

}  // namespace

Result<void> check_journal_file(const fs::path& file, const TuneOptions& options) {
  return check_results_file(file, use_of(options));
}

Result<std::unique_ptr<store::Journal>> open_journal(const fs::path& file, const RunInfo& info,
                                                     const store::Placement& placement, const TuneOptions& options) {
  WATTUNE_TRY(make_room(file, use_of(options)));
  const store::Resume resume = options.force_resume ? store::Resume::forced
                               : options.resume     ? store::Resume::checked
                                                    : store::Resume::no;
  WATTUNE_ASSIGN(auto journal, store::Journal::open(file, info, resume, placement));
  if (!options.quiet && journal->unused() > 0)
    print_note(
        fmt::format("{}: {} earlier configurations are in the search space, {} are not: their results stay in "
                    "the file and do not count",
                    file.string(), journal->recovered().size(), journal->unused()));
  if (const std::string& doubt = journal->lock_doubt(); !options.quiet && !doubt.empty())
    print_note(fmt::format("{}: {}", file.string(), doubt));
  return journal;
}

Error ended_early(Error error, store::Journal& journal, const fs::path& file) {
  if (journal.file() != file) return std::move(error).with_context("the run ended early");
  const bool intact = journal.check_intact().has_value();
  if (intact && has_only_header(journal.file())) {
    std::error_code ignored;
    fs::remove(journal.file(), ignored);
    return error;
  }
  return std::move(error).with_context(
      fmt::format("the run ended early, results so far are in {}", journal.file().string()));
}

Result<void> check_report_file(const TuneOptions& options) {
  const ResultsUse use = use_of(options);
  return check_new_file(options.report, use.resume || use.overwrite);
}

Result<void> write_report_of(const std::vector<std::filesystem::path>& journals, const TuneOptions& options) {
  if (options.report.empty()) return {};
  std::vector<std::string> files;
  for (const std::filesystem::path& journal : journals) files.push_back(journal.string());
  return write_report(files, options.report, true);
}

}  // namespace wattune::cli
