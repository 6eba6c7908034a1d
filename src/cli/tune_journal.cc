#include "cli/tune_journal.h"

#include <fmt/format.h>

#include "cli/terminal.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

bool has_contents(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && (!fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > 0);
}

}  // namespace

Result<void> check_journal_file(const fs::path& file, const TuneOptions& options) {
  const bool resume = options.resume || options.force_resume;
  if (resume && options.overwrite) {
    return Error(ErrorCode::invalid_argument, "--overwrite and --resume exclude each other");
  }
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return Error(ErrorCode::invalid_argument, "results cannot be written into a folder")
        .about(file.string())
        .hint("--output names a file");
  if (resume || options.overwrite || !has_contents(file)) return {};
  return Error(ErrorCode::already_exists, "results exist")
      .about(file.string())
      .hint("--resume goes on with them, --overwrite starts anew, --output names another file");
}

Result<std::unique_ptr<store::Journal>> open_journal(const fs::path& file, const RunInfo& info,
                                                     const space::SearchSpace& space, const TuneOptions& options) {
  if (options.overwrite && has_contents(file)) WATTUNE_TRY(store::set_aside(file));
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
