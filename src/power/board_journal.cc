#include "power/board_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/interface/system_error.h"
#include "core/new_file.h"
#include "core/own_rights.h"
#include "store/interface/files.h"
#include "store/interface/sealed_file.h"

namespace wattune::inline v0_1::power {

namespace {

namespace fs = std::filesystem;
using backend::Descriptor;
using backend::nvml::ApplicationClocks;
using backend::nvml::BoardDebt;
using store::Json;

constexpr const char* kSuffix = ".journal";
// Upper bounds of any board's clocks and limits, and of the process numbers of any system.
constexpr unsigned kMostMegahertz = 100'000;
constexpr unsigned kMostMilliwatts = 100'000'000;
constexpr unsigned kMostPid = 1 << 22;

constexpr store::FileKind kStateKind{.what = "power state",
                                     .member = "wattune_power",
                                     .version = 2,
                                     .is_unsealed =
                                         [](const Json& object) {
                                           const Json* const format = store::find_member(object, "format");
                                           return format != nullptr && *format == 1 &&
                                                  store::find_member(object, "owed") != nullptr;
                                         },
                                     .unsealed_start = R"({"format":1,"uuid":)"};

Json to_json(const BoardDebt& debt) {
  Json json{{"graphics_lock", debt.graphics_lock}, {"memory_lock", debt.memory_lock}};
  if (debt.application) json["application_clocks_mhz"] = {debt.application->memory, debt.application->graphics};
  if (debt.limit_mw) json["power_limit_mw"] = *debt.limit_mw;
  return json;
}

BoardDebt debt_from(const Json& json) {
  BoardDebt debt{store::flag_member(json, "graphics_lock"), store::flag_member(json, "memory_lock")};
  constexpr const char* kClocks = "application_clocks_mhz";
  const auto clock_in = [](const Json& clock) {
    return static_cast<unsigned>(store::count_within(clock, kClocks, 1, kMostMegahertz));
  };
  if (json.contains(kClocks)) {
    const Json& clocks = store::array_member(json, kClocks, 2, 2);
    debt.application = ApplicationClocks{clock_in(clocks[0]), clock_in(clocks[1])};
  }
  if (const Json* const limit = store::find_member(json, "power_limit_mw"))
    debt.limit_mw = static_cast<unsigned>(store::count_within(*limit, "power_limit_mw", 1, kMostMilliwatts));
  return debt;
}

std::string to_text(const JournalEntry& entry) {
  return store::sealed_record(kStateKind, {{"uuid", entry.uuid},
                                           {"board", entry.board},
                                           {"boot", entry.boot},
                                           {"tuner", {{"pid", entry.tuner.pid}, {"start", entry.tuner.start}}},
                                           {"owed", to_json(entry.debt)}});
}

JournalEntry entry_from(const Json& json) {
  const Json& tuner = store::object_member(json, "tuner");
  return {store::text_member(json, "uuid"),
          store::text_member(json, "board"),
          store::text_member(json, "boot"),
          {static_cast<pid_t>(store::count_within(store::member(tuner, "pid"), "pid", 1, kMostPid)),
           store::count_member(tuner, "start")},
          debt_from(store::object_member(json, "owed"))};
}

Error unreadable(const fs::path& file, const std::string& why) {
  return Error(ErrorCode::parse_error, fmt::format("{} cannot be read: {}", file.string(), why))
      .hint("reset the board's clocks and limit by hand (nvidia-smi -rgc, -rmc, -rac, -pl), then remove the file");
}

// Parses a journal. Its entry must name the same board as the file's name, so that no file can replace another board's
// file.
Result<JournalEntry> parse_entry(const fs::path& file, const std::string& text) {
  std::vector<JournalEntry> entries;
  const auto read = store::read_sealed(text, file, kStateKind, [&](const Json& line) {
    JournalEntry entry = entry_from(line);
    if (entry.uuid != file.stem().string()) throw store::Malformed("its board is not that of the file's name");
    entries.push_back(std::move(entry));
  });
  if (!read) return unreadable(file, read.error().message());
  if (!read->left_out.empty()) return unreadable(file, read->left_out.front().message());
  if (entries.size() != 1) return unreadable(file, entries.empty() ? "it is empty" : "it has more than one line");
  entries.front().unsealed = read->unsealed;
  return std::move(entries.front());
}

// Reads a journal, but not one that another user wrote: its settings must not be applied with this user's rights.
Result<JournalEntry> read_journal(const fs::path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0) return system_error("cannot open", file, errno);
  if (status.st_uid != 0 && status.st_uid != geteuid())
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} belongs to user {}, whom this one does not obey", file.string(), status.st_uid));
  WATTUNE_TRY(store::check_regular(opened.get(), file));
  WATTUNE_ASSIGN(const std::string text, store::read_descriptor(opened.get(), file));
  return parse_entry(file, text);
}

// Makes the folder if there is none. Refuses a folder in which others may write, because they could write settings
// there for this process to apply.
Result<void> make_trusted(const fs::path& folder) {
  constexpr mode_t kReadByAll = 0755;
  if (Result<void> made = make_folders(folder, kReadByAll); !made)
    return std::move(made).error().hint(
        "an administrator can make it; WATTUNE_STATE_DIR names another, the same for all of this machine");
  return check_trusted(folder);
}

Result<void> sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0 && ::fsync(opened.get()) == 0) return {};
  return system_error("cannot write", folder, errno);
}

// Returns the process that the lock's file names. The file may be empty for a moment after its holder got the lock.
ProcessIdentity holder_in(const fs::path& file) {
  ProcessIdentity holder;
  std::ifstream(file) >> holder.pid >> holder.start;
  return holder;
}

Result<void> name_holder(int descriptor, const ProcessIdentity& tuner, const fs::path& file) {
  if (::ftruncate(descriptor, 0) != 0) return system_error("cannot write", file, errno);
  return write_all(descriptor, fmt::format("{} {}\n", tuner.pid, tuner.start), file);
}

Error held(const std::string& uuid, pid_t holder) {
  const std::string who = holder != 0 ? fmt::format("process {}", holder) : "another process";
  return Error(ErrorCode::busy, fmt::format("the clocks of the board {} are in the hands of {}", uuid, who))
      .hint("wait for it to end");
}

// Takes the lock. If its holder is dead, tries for some seconds, because the holder's guardian needs a moment to
// restore the board. Returns true if it succeeded.
bool lock_patiently(int descriptor, const fs::path& file) {
  using std::chrono::milliseconds;
  constexpr milliseconds kPause{10};
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    const ProcessIdentity holder = holder_in(file);
    if (holder.pid != 0 && lives(holder)) return false;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

}  // namespace

fs::path state_folder() {
  const char* const named = std::getenv("WATTUNE_STATE_DIR");
  return named != nullptr && *named != '\0' ? named : "/var/lib/wattune";
}

Result<std::vector<Result<JournalEntry>>> find_journals(const fs::path& folder) {
  std::error_code failed;
  std::vector<Result<JournalEntry>> journals;
  if (fs::symlink_status(folder, failed).type() == fs::file_type::not_found) return journals;
  WATTUNE_TRY(check_trusted(folder));
  std::vector<fs::path> files;
  failed.clear();
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().extension() == kSuffix) files.push_back(entry->path());
  if (failed) return system_error("cannot read", folder, failed.value()).hint("root may read it");
  std::ranges::sort(files);
  for (const fs::path& file : files) journals.push_back(read_journal(file));
  return journals;
}

bool is_owed(const fs::path& folder, const std::string& uuid) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(folder / (uuid + kSuffix), ignored));
}

Result<BoardJournal> BoardJournal::lock(const fs::path& folder, const std::string& uuid, const ProcessIdentity& tuner) {
  WATTUNE_TRY(make_trusted(folder));
  const fs::path file = folder / (uuid + ".lock");
  Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (descriptor.get() < 0) return system_error("cannot open", file, errno);
  WATTUNE_TRY(store::check_regular(descriptor.get(), file));
  if (!lock_patiently(descriptor.get(), file)) return held(uuid, holder_in(file).pid);
  WATTUNE_TRY(name_holder(descriptor.get(), tuner, file));
  return BoardJournal(folder / (uuid + kSuffix), std::move(descriptor));
}

Result<std::optional<JournalEntry>> BoardJournal::read() const {
  if (!is_owed(file_.parent_path(), file_.stem())) return std::optional<JournalEntry>();
  WATTUNE_ASSIGN(JournalEntry entry, read_journal(file_));
  return std::optional(std::move(entry));
}

Result<void> BoardJournal::write(const JournalEntry& entry) {
  WATTUNE_TRY(store::keep_unsealed(file_, kStateKind));
  const fs::path beside = file_.string() + ".new";
  std::error_code ignored;
  fs::remove(beside, ignored);  // left by a guardian that was killed while it wrote
  const Descriptor opened(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (opened.get() < 0) return system_error("cannot write", beside, errno);
  WATTUNE_TRY(write_all(opened.get(), to_text(entry), beside));
  if (::fsync(opened.get()) != 0 || ::rename(beside.c_str(), file_.c_str()) != 0)
    return system_error("cannot write", file_, errno);
  return sync_folder(file_.parent_path());
}

Result<void> BoardJournal::clear() {
  if (::unlink(file_.c_str()) != 0 && errno != ENOENT) return system_error("cannot remove", file_, errno);
  return sync_folder(file_.parent_path());
}

}  // namespace wattune::power
