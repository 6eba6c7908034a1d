// Locks files by fcntl(F_OFD_SETLK). Network file systems pass such locks to their servers, while some of these systems
// keep locks of flock() on one host. The lock belongs to the open file description and ends with its last descriptor,
// as with flock().
#include "store/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "core/interface/system_error.h"

namespace wattune::inline v0_1::store {

namespace {

namespace fs = std::filesystem;

// The locked byte, far behind the end of any file. File systems that enforce locks, such as SMB, let others read the
// bytes before it.
constexpr off_t kLockedByte = off_t{1} << 62;

// The pause between two attempts to lock. A lock is not waited for inside fcntl(), because such waiting cannot be
// limited.
constexpr std::chrono::milliseconds kBetweenTries{2};

constexpr std::string_view kNone = "has no locks";
constexpr std::string_view kThisHost = "keeps locks on this host only";
constexpr std::string_view kPerhaps = "may keep locks on this host only";

// A file system on which locks may not work. On some, they never work; on others, they fail if the system was mounted
// with a certain option.
struct FileSystem {
  std::string_view type;
  std::string_view option;  // that mount option; if empty, locks may fail with any options
  std::string_view doubt;
};
constexpr std::array<FileSystem, 14> kDoubtfulFileSystems{{{"nfs", "nolock", kThisHost},
                                                           {"nfs", "local_lock=all", kThisHost},
                                                           {"nfs", "local_lock=posix", kThisHost},
                                                           {"nfs4", "local_lock=all", kThisHost},
                                                           {"nfs4", "local_lock=posix", kThisHost},
                                                           {"lustre", "localflock", kThisHost},
                                                           {"cifs", "nobrl", kThisHost},
                                                           {"smb3", "nobrl", kThisHost},
                                                           {"beegfs", "", kPerhaps},
                                                           {"9p", "", kPerhaps},
                                                           {"virtiofs", "", kPerhaps},
                                                           {"afs", "", kPerhaps},
                                                           {"orangefs", "", kPerhaps},
                                                           {"vboxsf", "", kPerhaps}}};

std::string sentence(std::string_view type, std::string_view doubt) {
  return fmt::format("its file system ({}) {}: let no other process write it", type, doubt);
}

bool has_option(std::string_view options, std::string_view option) {
  return fmt::format(",{},", options).find(fmt::format(",{},", option)) != std::string::npos;
}

// True if the line of /proc is about our lock, such as "... OFDLCK ADVISORY WRITE -1 08:01:5678 ...". The line comes
// from the process that holds the lock.
bool tells_of_lock(const std::string& line, const std::string& inode_end) {
  std::istringstream words(line);
  bool is_ours = false;
  for (std::string word; words >> word;) {
    if (word == "OFDLCK") is_ours = true;
    if (is_ours && word.ends_with(inode_end)) return true;
  }
  return false;
}

bool holds_lock(const fs::path& process, const std::string& inode_end) {
  std::error_code failed;
  for (fs::directory_iterator entry(process / "fdinfo", failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::ifstream lines(entry->path());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("lock:") && tells_of_lock(line, inode_end)) return true;
  }
  return false;
}

// Returns the process that holds the lock, as far as this user may see it. Returns an empty text if the process is
// unknown.
std::string lock_holder(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return {};
  const std::string inode_end = fmt::format(":{}", status.st_ino);
  std::error_code failed;
  for (fs::directory_iterator entry("/proc", failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos && holds_lock(entry->path(), inode_end)) return name;
  }
  return {};
}

Error busy_error(const fs::path& file, int descriptor) {
  const std::string process = lock_holder(descriptor);
  const std::string who = process.empty() ? "another process" : "process " + process;
  return Error(ErrorCode::busy, fmt::format("{} is being written by {}", file.string(), who))
      .hint("wait for it to end, or write to another file");
}

std::string doubt_about_locks_of(int descriptor) {
  struct stat status {};
  std::ifstream mountinfo("/proc/self/mountinfo");
  return ::fstat(descriptor, &status) == 0 ? doubt_about_locks(mountinfo, status.st_dev) : std::string();
}

// Tries to lock the file. Returns 0, or the error number if locking was refused.
int try_to_lock(int descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockedByte;
  lock.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

bool is_held(int refusal) { return refusal == EAGAIN || refusal == EACCES; }

}  // namespace

Result<std::string> lock_file(int descriptor, const fs::path& file, std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  int refusal = try_to_lock(descriptor);
  while (is_held(refusal) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kBetweenTries);
    refusal = try_to_lock(descriptor);
  }
  if (refusal == 0) return doubt_about_locks_of(descriptor);
  if (is_held(refusal)) return busy_error(file, descriptor);
  if (refusal == ENOSYS || refusal == ENOLCK || refusal == EOPNOTSUPP) return sentence("no lock can be had", kNone);
  return system_error("cannot lock", file, refusal);
}

// Returns why locks on the device may not work, by its line in `mountinfo`; an empty text if they should work. A line
// is such as "36 35 98:0 /root /mount rw,noatime master:1 - nfs4 host:/export rw,vers=4.2". The third word is the
// device. The type, source and options follow the dash.
std::string doubt_about_locks(std::istream& mountinfo, dev_t device) {
  const std::string number = fmt::format("{}:{}", ::major(device), ::minor(device));
  for (std::string line; std::getline(mountinfo, line);) {
    std::istringstream words(line);
    std::string id, parent, mounted, word, type, source, options;
    words >> id >> parent >> mounted;
    while (words >> word && word != "-") continue;
    if (mounted != number || !(words >> type >> source >> options)) continue;
    if (type.starts_with("fuse.")) return sentence(type, kPerhaps);
    const auto found = std::ranges::find_if(kDoubtfulFileSystems, [&](const FileSystem& each) {
      return each.type == type && (each.option.empty() || has_option(options, each.option));
    });
    return found == kDoubtfulFileSystems.end() ? std::string() : sentence(type, found->doubt);
  }
  return {};
}

}  // namespace wattune::store
