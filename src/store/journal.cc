#include "wattune/store/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "core/interface/system_error.h"
#include "core/logging.h"
#include "store/interface/files.h"
#include "store/interface/locked_file.h"
#include "store/journal_text.h"

namespace wattune::inline v0_1::store {

namespace {

// True if a difference in this part of the identity forbids even a forced resume. Trials have no meaning with other
// parameters. Values of an objective have no meaning with another objective, or if metrics that it may use are computed
// differently.
bool changes_meaning(const std::string& part, const RunInfo& wanted) {
  return part.starts_with("tuning parameter ") || part == "objectives" ||
         (!wanted.objectives.empty() && part.starts_with("metric "));
}

std::vector<IdentityDifference> different_parts(const RunInfo& found, const RunInfo& wanted) {
  Identity now = identity_of(wanted);
  if (found.identity.empty())
    for (const auto& [part, value] : wanted.identity) now.erase(part);
  return wattune::differences(identity_of(found), now);
}

std::string part_of(const RunInfo& info, const std::string& part) {
  const auto found = info.identity.find(part);
  return found == info.identity.end() ? std::string() : found->second;
}

// True if both runs may try the same configurations, and these have the same ids and the same default.
bool has_same_space(const RunInfo& a, const RunInfo& b) {
  return a.space_hash == b.space_hash && a.parameters == b.parameters && a.default_values == b.default_values &&
         part_of(a, kResourceConstraints) == part_of(b, kResourceConstraints);
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
      .hint(in_meaning.empty() ? "write to another file, or go on by force" : "write to another file");
}

// The Trials that count in a changed space, with each configuration once. `unused` is the number of configurations that
// are not in that space.
struct Carried {
  std::vector<Trial> trials;
  std::size_t unused = 0;
};

// Adds those Trials of one run that count in the changed space.
void carry(ResultSet results, const RunInfo& wanted, const Placement& placement,
           std::map<ConfigurationId, std::size_t>& places, std::set<std::string>& unused, std::vector<Trial>& trials) {
  for (Trial& trial : results.trials) {
    const std::string recorded = trial.configuration.to_string();
    const std::optional<Configuration> configuration = placement(trial, results.info);
    if (!configuration) {
      unused.insert(recorded);
      continue;
    }
    unused.erase(recorded);
    trial.configuration = *configuration;
    if (results.info.default_values != wanted.default_values) trial.observation.over_default.reset();
    const auto [found, is_new] = places.emplace(configuration->id(), trials.size());
    if (is_new)
      trials.push_back(std::move(trial));
    else
      trials[found->second] = std::move(trial);
  }
}

Result<Carried> carried_into(const RunInfo& wanted, std::string_view journal, const std::filesystem::path& file,
                             const Placement& placement) {
  Carried carried;
  std::map<ConfigurationId, std::size_t> places;
  std::set<std::string> unused;
  std::size_t end = 0;
  for (const std::string_view run : runs_in(journal)) {
    end += run.size();
    WATTUNE_ASSIGN(JournalContents contents, read_journal_text(journal.substr(0, end), file));
    carry(std::move(contents.results), wanted, placement, places, unused, carried.trials);
  }
  carried.unused = unused.size();
  return carried;
}

// Returns the next free name of FILE.~1~, FILE.~2~ and so on.
std::filesystem::path backup_of(const std::filesystem::path& file) {
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::filesystem::path name = fmt::format("{}.~{}~", file.string(), number);
    if (std::filesystem::symlink_status(name, ignored).type() == std::filesystem::file_type::not_found) return name;
  }
}

}  // namespace

// The file and the state that is needed to write a line. The memory of the line is kept between calls.
struct Journal::Writer {
  std::unique_ptr<LockedFile> file;
  TrialEncoder encoder;
  std::string line;
  std::string text;  // all text in the file, to be saved if the file is lost
};

Journal::Journal(std::filesystem::path file, std::unique_ptr<Writer> writer, std::vector<Trial> recovered)
    : file_(std::move(file)), writer_(std::move(writer)), recovered_(std::move(recovered)) {}

Journal::~Journal() = default;

namespace {

// The Trials with which a run continues, and the text for them. The text is appended to the intact part of the journal.
struct Continued {
  Carried carried;
  std::string added;
};

// Returns the Trials with which a run continues. If the space has changed, the Trials are written again behind a header
// of their own, with their ids in the new space.
Result<Continued> continued(std::string_view text, const RunInfo& wanted, ResultSet found,
                            const std::filesystem::path& file, const Placement& placement) {
  if (has_same_space(found.info, wanted)) return Continued{{std::move(found.trials), 0}, {}};
  if (!placement)
    return Error(ErrorCode::mismatch,
                 fmt::format("{} cannot be continued, its search space has changed", file.string()))
        .hint("write to another file");
  Continued result;
  WATTUNE_ASSIGN(result.carried, carried_into(wanted, text, file, placement));
  result.added = journal_header(wanted, result.carried.trials.size());
  const TrialEncoder encoder(wanted.parameters);
  std::string line;
  for (const Trial& trial : result.carried.trials) {
    WATTUNE_TRY(encoder.encode(trial, line));
    result.added += line;
  }
  return result;
}

JournalChecks checks_for(const RunInfo& wanted, Resume resume, const std::filesystem::path& file,
                         const Placement& placement) {
  JournalChecks checks;
  checks.run = [&wanted, resume, &file](const RunInfo& found) { return check_resumable(found, wanted, resume, file); };
  checks.configuration = [&wanted, &placement](const Trial& trial, const RunInfo& found) {
    return !placement || !has_same_space(found, wanted) || placement(trial, found) == trial.configuration;
  };
  return checks;
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& file, const RunInfo& info, Resume resume,
                                               const Placement& placement) {
  WATTUNE_ASSIGN(LockedFile locked, LockedFile::open(file));
  WATTUNE_ASSIGN(std::string text, locked.read());
  Carried earlier;
  if (is_unbegun_journal(text)) {
    log_info("{}: a new journal", file.string());
    text = journal_header(info);
    WATTUNE_TRY(locked.cut_to(0));
    WATTUNE_TRY(locked.append(text));
  } else {
    if (resume == Resume::no)
      return Error(ErrorCode::already_exists, fmt::format("{} exists and is not empty", file.string()))
          .hint("resume it, or write to another file");
    WATTUNE_ASSIGN(JournalContents contents, read_journal_text(text, file, checks_for(info, resume, file, placement)));
    log_info("{}: goes on after {} Trials{}", file.string(), contents.results.trials.size(),
             contents.intact_bytes < text.size() ? ", without a torn last line" : "");
    const std::string_view intact = std::string_view(text).substr(0, contents.intact_bytes);
    WATTUNE_ASSIGN(Continued next, continued(intact, info, std::move(contents.results), file, placement));
    WATTUNE_TRY(locked.cut_to(contents.intact_bytes));
    text.resize(contents.intact_bytes);
    if (!text.ends_with('\n')) next.added.insert(0, 1, '\n');
    if (!next.added.empty()) WATTUNE_TRY(locked.append(next.added));
    text += next.added;
    earlier = std::move(next.carried);
  }
  auto writer = std::make_unique<Writer>(
      Writer{std::make_unique<LockedFile>(std::move(locked)), TrialEncoder(info.parameters), {}, std::move(text)});
  auto journal = std::unique_ptr<Journal>(new Journal(file, std::move(writer), std::move(earlier.trials)));
  journal->unused_ = earlier.unused;
  return journal;
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

// Saves the journal in a new file. Later Trials are written to that file as well.
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

// Renames the file while it is locked. Otherwise another process could continue to write to the renamed file.
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
