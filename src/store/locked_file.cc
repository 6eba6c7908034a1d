#include "store/interface/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/interface/system_error.h"
#include "core/new_file.h"
#include "store/file_lock.h"
#include "store/interface/files.h"
#include "store/limits.h"

namespace wattune::inline v0_1::store {

namespace {

// True if the file's name still leads to the same file that was opened.
bool is_same_file(const struct stat& named, const struct stat& opened) {
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

Error changed_error(const std::filesystem::path& file, const char* how) {
  return Error(ErrorCode::io_error, fmt::format("{} was {} while it was being written", file.string(), how));
}

}  // namespace

// Opens and locks the file. Starts again if the name then leads to another file. Between opening and locking, the
// holder of the lock may have renamed or replaced the file.
Result<LockedFile> LockedFile::open(const std::filesystem::path& file, std::chrono::milliseconds wait) {
  constexpr int kFewestOpenTries = 16;
  const auto deadline = std::chrono::steady_clock::now() + wait;
  for (int i = 0; i < kFewestOpenTries || std::chrono::steady_clock::now() < deadline; ++i) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor < 0) return system_error("cannot open", file, errno);
    LockedFile locked(file, descriptor);
    WATTUNE_ASSIGN(locked.doubt_, lock_file(descriptor, file, wait));
    struct stat opened {};
    struct stat named {};
    if (::fstat(descriptor, &opened) != 0) return system_error("cannot look at", file, errno);
    locked.size_ = static_cast<std::uint64_t>(opened.st_size);
    if (::stat(file.c_str(), &named) == 0 && is_same_file(named, opened)) return locked;
  }
  return changed_error(file, "replaced again and again");
}

LockedFile::LockedFile(LockedFile&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      doubt_(std::move(other.doubt_)),
      size_(other.size_),
      has_torn_append_(other.has_torn_append_) {}

LockedFile::~LockedFile() {
  if (descriptor_ < 0) return;
  ::fsync(descriptor_);
  ::close(descriptor_);
}

// Reads at most as many bytes as the size of the file says, since a device such as /dev/full could be read for ever.
Result<std::string> LockedFile::read() const {
  if (size_ > kMaxFileBytes) return too_large(file_);
  std::string text(size_, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read", file_, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

// Checks that the file has kept its name and its size. Only a regular file has a size to compare.
Result<void> LockedFile::check_intact() const {
  struct stat opened {};
  struct stat named {};
  if (::fstat(descriptor_, &opened) != 0) return system_error("cannot look at", file_, errno);
  if (::stat(file_.c_str(), &named) != 0) return changed_error(file_, "removed");
  if (!is_same_file(named, opened)) return changed_error(file_, "replaced by another file");
  const auto size = static_cast<std::uint64_t>(opened.st_size);
  if (!S_ISREG(opened.st_mode) || size == size_ || has_torn_append_) return {};
  return changed_error(file_, size < size_ ? "truncated" : "written by another program");
}

Result<void> LockedFile::cut_to(std::uint64_t bytes) {
  if (bytes == size_ && !has_torn_append_) return {};
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return system_error("cannot shorten", file_, errno);
  size_ = bytes;
  has_torn_append_ = false;
  return {};
}

Result<void> LockedFile::append(std::string_view bytes) {
  if (has_torn_append_) WATTUNE_TRY(cut_to(size_));
  ssize_t written = 0;
  do {
    written = ::write(descriptor_, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(bytes.size())) {
    size_ += bytes.size();
    return {};
  }
  // if fewer bytes were written, the disk is full
  const int cause = written < 0 ? errno : ENOSPC;
  has_torn_append_ = written > 0 && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0;
  return system_error("cannot write", file_, cause);
}

// Writes a new file beside the old one. Locks the new file before it gets the name of the old one. If that name is a
// symbolic link, the file to which the link points is superseded.
Result<void> LockedFile::supersede(std::string_view bytes, std::string_view suffix) {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::canonical(file_, failed);
  if (failed) return system_error("cannot look at", file_, failed.value());
  WATTUNE_ASSIGN(const std::filesystem::path beside, write_beside(place, {}));
  Result<LockedFile> fresh = open(beside);
  Result<void> done = fresh ? fresh->append(bytes) : Result<void>(fresh.error());
  if (done && ::fsync(fresh->descriptor_) != 0) done = system_error("cannot write", file_, errno);
  if (done) done = keep_beside(file_, suffix);
  if (done && ::rename(beside.c_str(), place.c_str()) != 0) done = system_error("cannot write", file_, errno);
  if (!done) {
    ::unlink(beside.c_str());
    return done;
  }
  std::swap(descriptor_, fresh->descriptor_);
  std::swap(size_, fresh->size_);
  has_torn_append_ = false;
  return {};
}

}  // namespace wattune::store
