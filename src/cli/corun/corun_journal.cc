#include "cli/corun/corun_journal.h"

#include <fmt/format.h>

#include <utility>

#include "cli/corun/corun_lines.h"
#include "store/interface/files.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;
using store::Json;

constexpr store::FileKind kSweepKind{.what = "co-run journal",
                                     .member = "wattune_corun",
                                     .version = 3,
                                     .is_unsealed =
                                         [](const Json& object) {
                                           const Json* const format = store::find_member(object, "format");
                                           return format != nullptr && *format == "wattune corun 2";
                                         },
                                     .unsealed_start = R"({"format":"wattune corun 2",)"};

std::string text_of(const std::string& identity, const schedule::SweptPair& pair) {
  return store::sealed_record(kSweepKind, line_of(identity, pair));
}

}  // namespace

Result<SweepJournal> SweepJournal::open(const fs::path& file, const ResultsUse& use) {
  WATTUNE_TRY(check_results_file(file, use));
  SweepJournal journal(file, use);
  WATTUNE_TRY(journal.lock());
  if (!use.overwrite) WATTUNE_TRY(journal.read());
  return journal;
}

Result<void> SweepJournal::lock() {
  WATTUNE_ASSIGN(store::LockedFile locked, store::LockedFile::open(file_));
  locked_.emplace(std::move(locked));
  return {};
}

// Reads the file. A file without checksums stays as it is until the first write, which replaces it by one with
// checksums.
Result<void> SweepJournal::read() {
  WATTUNE_ASSIGN(const std::string text, locked_->read());
  auto found = store::read_sealed(text, file_, kSweepKind, [&](const Json& line) {
    const std::string& identity = store::text_member(line, "identity");
    schedule::SweptPair pair = pair_from(line);
    resealed_ += text_of(identity, pair);
    pairs_.insert_or_assign(identity, std::move(pair));
  });
  if (!found) return std::move(found).error().hint("--output names another file");
  unsealed_ = found->unsealed;
  if (unsealed_)
    notes_.push_back(store::unsealed_note(file_, "when the next pair is written, a sealed file takes its place"));
  for (const Error& each : found->left_out) notes_.push_back(each.to_string());
  if (unsealed_) return {};
  resealed_.clear();
  WATTUNE_TRY(locked_->cut_to(found->intact_bytes));
  return found->ends_with_newline ? Result<void>() : locked_->append("\n");
}

const schedule::SweptPair* SweepJournal::find(const std::string& identity) const {
  const auto found = pairs_.find(identity);
  return found == pairs_.end() ? nullptr : &found->second;
}

// Releases the lock first, because set_aside() takes it.
Result<void> SweepJournal::start_anew() {
  locked_.reset();
  WATTUNE_TRY(make_room(file_, use_));
  use_.overwrite = false;
  return lock();
}

Result<void> SweepJournal::add(const std::string& identity, const schedule::SweptPair& pair) {
  if (use_.overwrite) WATTUNE_TRY(start_anew());
  WATTUNE_TRY(locked_->check_intact());
  const std::string line = text_of(identity, pair);
  if (!unsealed_) return locked_->append(line);
  WATTUNE_TRY(locked_->supersede(resealed_ + line, store::kUnsealedSuffix));
  resealed_.clear();
  unsealed_ = false;
  return {};
}

bool is_sweep_journal(std::string_view text) {
  return text.starts_with(fmt::format("{{\"{}\":", kSweepKind.member)) || text.starts_with(kSweepKind.unsealed_start);
}

Result<SweptPairs> read_sweep_journal(std::string_view text, const fs::path& file) {
  std::vector<std::pair<std::string, schedule::SweptPair>> found;
  WATTUNE_ASSIGN(const auto contents, store::read_sealed(text, file, kSweepKind, [&](const Json& line) {
                   std::string identity = store::text_member(line, "identity");
                   std::erase_if(found, [&](const auto& each) { return each.first == identity; });
                   found.emplace_back(std::move(identity), pair_from(line));
                 }));
  SweptPairs swept;
  for (auto& [identity, pair] : found) swept.pairs.push_back(std::move(pair));
  for (const Error& each : contents.left_out) swept.notes.push_back(each.to_string());
  return swept;
}

}  // namespace wattune::cli
