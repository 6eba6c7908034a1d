#include "wattune/store/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/logging.h"
#include "store/files.h"
#include "store/journal_text.h"
#include "store/locked_file.h"
#include "wattune/core/system_error.h"

namespace wattune::store {

namespace {

constexpr const char* kSearchSpace = "search space";

// What no force overrides: ids and positions of values mean nothing in another space, values of an objective nothing
// under another one, or when the metrics that it may be made of are computed differently.
bool changes_meaning(const std::string& part, const RunInfo& wanted) {
  return part == kSearchSpace || part == "objectives" || (!wanted.objectives.empty() && part.starts_with("metric "));
}

std::vector<IdentityDifference> different_parts(const RunInfo& found, const RunInfo& wanted) {
  Identity now = identity_of(wanted);
  if (found.identity.empty())
    for (const auto& [part, value] : wanted.identity) now.erase(part);
  std::vector<IdentityDifference> parts = wattune::differences(identity_of(found), now);
  if (found.space_hash == wanted.space_hash && found.parameters != wanted.parameters)
    parts.push_back({kSearchSpace, "other parameters", "of the same hash"});
  return parts;
}

Result<void> check_resumable(const RunInfo& found, const RunInfo& wanted, Resume resume,
                             const std::filesystem::path& file) {
  std::vector<std::string> in_meaning;
  for (const IdentityDifference& each : different_parts(found, wanted))
    if (changes_meaning(each.part, wanted)) in_meaning.push_back(to_string(each));
  const std::vector<std::string> reasons = resume == Resume::forced ? in_meaning : differences(found, wanted);
  if (reasons.empty()) return {};
  return Error(ErrorCode::mismatch,
               fmt::format("{} cannot be continued, this run differs in: {}", file.string(), fmt::join(reasons, "; ")))
      .hint(in_meaning.empty() ? "write to another file; --force-resume goes on nevertheless"
                               : "write to another file");
}

// FILE.~1~, FILE.~2~ and so on.
std::filesystem::path backup_of(const std::filesystem::path& file) {
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::filesystem::path name = fmt::format("{}.~{}~", file.string(), number);
    if (std::filesystem::symlink_status(name, ignored).type() == std::filesystem::file_type::not_found) return name;
  }
}

}  // namespace

// The file with what it takes to write one line; the line's memory is kept between calls.
struct Journal::Writer {
  std::unique_ptr<LockedFile> file;
  TrialEncoder encoder;
  std::string line;
  std::string text;  // all that is in the file, should it be lost
};

Journal::Journal(std::filesystem::path file, std::unique_ptr<Writer> writer, std::vector<Trial> recovered)
    : file_(std::move(file)), writer_(std::move(writer)), recovered_(std::move(recovered)) {}

Journal::~Journal() = default;

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& file, const RunInfo& info, Resume resume,
                                               const ConfigurationCheck& check) {
  WATTUNE_ASSIGN(LockedFile locked, LockedFile::open(file));
  WATTUNE_ASSIGN(std::string text, locked.read());
  std::vector<Trial> recovered;
  if (is_unbegun_journal(text)) {
    log_info("{}: a new journal", file.string());
    text = journal_header(info);
    WATTUNE_TRY(locked.cut_to(0));
    WATTUNE_TRY(locked.append(text));
  } else {
    if (resume == Resume::no)
      return Error(ErrorCode::already_exists, fmt::format("{} exists and is not empty", file.string()))
          .hint("resume it, or write to another file");
    const JournalChecks checks{.run = [&](const RunInfo& found) { return check_resumable(found, info, resume, file); },
                               .configuration = check};
    WATTUNE_ASSIGN(JournalContents contents, read_journal_text(text, file, checks));
    log_info("{}: goes on after {} Trials{}", file.string(), contents.results.trials.size(),
             contents.intact_bytes < text.size() ? ", without a torn last line" : "");
    WATTUNE_TRY(locked.cut_to(contents.intact_bytes));
    text.resize(contents.intact_bytes);
    if (!text.ends_with('\n')) {
      WATTUNE_TRY(locked.append("\n"));
      text += '\n';
    }
    recovered = std::move(contents.results.trials);
  }
  auto writer = std::make_unique<Writer>(
      Writer{std::make_unique<LockedFile>(std::move(locked)), TrialEncoder(info.parameters), {}, std::move(text)});
  return std::unique_ptr<Journal>(new Journal(file, std::move(writer), std::move(recovered)));
}

const std::string& Journal::lock_doubt() const { return writer_->file->doubt(); }

Result<void> Journal::add(const Trial& trial) {
  WATTUNE_TRY(writer_->encoder.encode(trial, writer_->line));
  const Result<void> intact = writer_->file->check_intact();
  if (intact) WATTUNE_TRY(writer_->file->append(writer_->line));
  writer_->text += writer_->line;
  return intact ? Result<void>() : save_elsewhere(intact.error());
}

Result<void> Journal::check_intact() {
  Result<void> intact = writer_->file->check_intact();
  return intact ? intact : save_elsewhere(intact.error());
}

// Trials that follow go to the new file too, which is written as any other journal.
Result<void> Journal::save_elsewhere(Error loss) {
  const std::filesystem::path name = unused_name(file_, ".saved");
  Result<LockedFile> saved = LockedFile::open(name);
  const Result<void> written = saved ? saved->append(writer_->text) : Result<void>(saved.error());
  if (!written) return std::move(loss).with_context(written.error().to_string());
  writer_->file = std::make_unique<LockedFile>(*std::move(saved));
  log_warning("{} was lost, {} takes its place", file_.string(), name.string());
  file_ = name;
  return std::move(loss).hint(fmt::format("what was measured is in {}", name.string()));
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
  std::vector<std::string> texts;
  for (const IdentityDifference& each : different_parts(found, wanted)) texts.push_back(to_string(each));
  if (found.identity.empty() && !wanted.identity.empty())
    texts.emplace_back("what an older Wattune did not record, such as included files, metrics and the cache mode");
  return texts;
}

}  // namespace wattune::store
