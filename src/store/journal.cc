#include "wattune/store/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "store/files.h"
#include "store/journal_text.h"
#include "store/locked_file.h"
#include "wattune/core/system_error.h"

namespace wattune::store {

namespace {

std::string short_hash(const std::string& hash) { return hash.substr(0, 8) + ".."; }

bool same_space(const RunInfo& found, const RunInfo& wanted) {
  return found.space_hash == wanted.space_hash && found.parameters == wanted.parameters;
}

std::string space_difference(const RunInfo& found, const RunInfo& wanted) {
  return fmt::format("the search space differs (journal {}, now {})", short_hash(found.space_hash),
                     short_hash(wanted.space_hash));
}

// What no force overrides: ids and positions of values mean nothing in another space, targets nothing under another
// objective.
std::vector<std::string> differences_in_meaning(const RunInfo& found, const RunInfo& wanted) {
  std::vector<std::string> sentences;
  if (found.objectives != wanted.objectives) sentences.emplace_back("the objectives differ");
  if (!same_space(found, wanted)) sentences.push_back(space_difference(found, wanted));
  return sentences;
}

Result<void> check_resumable(const RunInfo& found, const RunInfo& wanted, Resume resume,
                             const std::filesystem::path& file) {
  const std::vector<std::string> in_meaning = differences_in_meaning(found, wanted);
  const std::vector<std::string> reasons = resume == Resume::forced ? in_meaning : differences(found, wanted);
  if (reasons.empty()) return {};
  return Error(ErrorCode::mismatch, fmt::format("{} cannot be continued: {}", file.string(), fmt::join(reasons, "; ")))
      .hint(in_meaning.empty() ? "write to another file; --force-resume goes on nevertheless"
                               : "write to another file");
}

// The first of FILE.~1~, FILE.~2~ and so on that is free.
std::filesystem::path backup_of(const std::filesystem::path& file) {
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::filesystem::path backup = fmt::format("{}.~{}~", file.string(), number);
    if (std::filesystem::symlink_status(backup, ignored).type() == std::filesystem::file_type::not_found) return backup;
  }
}

}  // namespace

// The file with what it takes to write one line; the line's memory is kept between calls.
struct Journal::Writer {
  LockedFile file;
  TrialEncoder encoder;
  std::string line;
};

Journal::Journal(std::filesystem::path file, std::unique_ptr<Writer> writer, std::vector<Trial> recovered)
    : file_(std::move(file)), writer_(std::move(writer)), recovered_(std::move(recovered)) {}

Journal::~Journal() = default;

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& file, const RunInfo& info, Resume resume) {
  WATTUNE_ASSIGN(LockedFile locked, LockedFile::open(file));
  WATTUNE_ASSIGN(const std::string text, locked.read());
  std::vector<Trial> recovered;
  if (is_unbegun_journal(text)) {
    WATTUNE_TRY(locked.cut_to(0));
    WATTUNE_TRY(locked.append(journal_header(info)));
  } else {
    if (resume == Resume::no)
      return Error(ErrorCode::already_exists, fmt::format("{} exists and is not empty", file.string()))
          .hint("resume it, or write to another file");
    WATTUNE_ASSIGN(JournalContents contents, read_journal_text(text, file));
    WATTUNE_TRY(check_resumable(contents.results.info, info, resume, file));
    WATTUNE_TRY(locked.cut_to(contents.intact_bytes));
    recovered = std::move(contents.results.trials);
  }
  auto writer = std::make_unique<Writer>(Writer{std::move(locked), TrialEncoder(info.parameters), {}});
  return std::unique_ptr<Journal>(new Journal(file, std::move(writer), std::move(recovered)));
}

Result<void> Journal::add(const Trial& trial) {
  WATTUNE_TRY(writer_->encoder.encode(trial, writer_->line));
  return writer_->file.append(writer_->line);
}

// The lock is held until the file has its new name, which it would otherwise keep being written under.
Result<void> set_aside(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const LockedFile locked, LockedFile::open(file));
  if (std::rename(file.c_str(), backup_of(file).c_str()) != 0) return system_error("cannot rename", file, errno);
  return {};
}

Result<ResultSet> read_journal(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::string text, read_file(file));
  return parse_journal(text, file);
}

Result<ResultSet> parse_journal(std::string_view text, const std::filesystem::path& file) {
  WATTUNE_ASSIGN(JournalContents contents, read_journal_text(text, file));
  return std::move(contents.results);
}

std::vector<std::string> differences(const RunInfo& found, const RunInfo& wanted) {
  std::vector<std::string> sentences;
  const auto compare_hashes = [&](const char* what, const std::string& before, const std::string& now) {
    if (before != now)
      sentences.push_back(fmt::format("{} (journal {}, now {})", what, short_hash(before), short_hash(now)));
  };
  compare_hashes("the kernel source differs", found.source_hash, wanted.source_hash);
  // The sizes are part of the hash of the options.
  if (found.problem_size != wanted.problem_size)
    sentences.push_back(
        fmt::format("the problem size differs (journal {}, now {})", found.problem_size, wanted.problem_size));
  else
    compare_hashes("the compile options, geometry, arguments or reference differ", found.options_hash,
                   wanted.options_hash);
  if (found.device.name != wanted.device.name)
    sentences.push_back(fmt::format("the device differs (journal {}, now {})", found.device.name, wanted.device.name));
  if (found.device.driver_version != wanted.device.driver_version)
    sentences.push_back(fmt::format("the driver differs (journal {}, now {})", found.device.driver_version,
                                    wanted.device.driver_version));
  for (std::string& sentence : differences_in_meaning(found, wanted)) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace wattune::store
