#include "cli/tune_journal.h"

#include <fmt/format.h>

#include "cli/output_file.h"
#include "cli/terminal.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

ResultsUse use_of(const TuneOptions& options) {
  return {.resume = options.resume || options.force_resume, .overwrite = options.overwrite};
}

}  // namespace

Result<void> check_journal_file(const fs::path& file, const TuneOptions& options) {
  return check_results_file(file, use_of(options));
}

Result<std::unique_ptr<store::Journal>> open_journal(const fs::path& file, const RunInfo& info,
                                                     const space::SearchSpace& space, const TuneOptions& options) {
  WATTUNE_TRY(make_room(file, use_of(options)));
  const store::Resume resume = options.force_resume ? store::Resume::forced
                               : options.resume     ? store::Resume::checked
                                                    : store::Resume::no;
  const auto belongs = [&space](const Configuration& configuration) {
    return configuration.id() < space.count() && space.configuration(configuration.id()) == configuration;
  };
  WATTUNE_ASSIGN(auto journal, store::Journal::open(file, info, resume, belongs));
  if (const std::string& doubt = journal->lock_doubt(); !options.quiet && !doubt.empty())
    print_note(fmt::format("{}: {}", file.string(), doubt));
  return journal;
}

Error ended_early(Error error, store::Journal& journal, const fs::path& file) {
  if (journal.file() != file) return std::move(error).with_context("the run ended early");
  const bool intact = journal.check_intact().has_value();
  const auto written = store::read_journal(journal.file());
  if (intact && written && written->trials.empty()) {
    std::error_code ignored;
    fs::remove(journal.file(), ignored);
    return error;
  }
  return std::move(error).with_context(
      fmt::format("the run ended early, results so far are in {}", journal.file().string()));
}

}  // namespace wattune::cli
