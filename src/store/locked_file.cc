#include "store/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "wattune/core/system_error.h"

namespace wattune::store {

namespace {

// The process that holds a flock on the file, by Linux's list of locks; 0 when unknown.
long lock_holder(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return 0;
  const std::string inode_end = fmt::format(":{}", status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    // "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; a waiting process has "->" before FLOCK.
    std::istringstream words(line);
    std::string number, kind, advisory, access, inode;
    long process = 0;
    if (words >> number >> kind >> advisory >> access >> process >> inode && kind == "FLOCK" && access == "WRITE" &&
        inode.ends_with(inode_end))
      return process;
  }
  return 0;
}

Error busy_error(const std::filesystem::path& file, int descriptor) {
  const long process = lock_holder(descriptor);
  const std::string who = process > 0 ? fmt::format("process {}", process) : std::string("another process");
  return Error(ErrorCode::busy, fmt::format("{} is being written by {}", file.string(), who))
      .hint("wait for it to end, or write to another file");
}

}  // namespace

Result<LockedFile> LockedFile::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return system_error("cannot open", file, errno);
  LockedFile locked(file, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return busy_error(file, descriptor);
    return system_error("cannot lock", file, errno);
  }
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_error("cannot look at", file, errno);
  locked.size_ = static_cast<std::uint64_t>(status.st_size);
  return locked;
}

LockedFile::LockedFile(LockedFile&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      has_torn_append_(other.has_torn_append_) {}

LockedFile::~LockedFile() {
  if (descriptor_ < 0) return;
  ::fsync(descriptor_);
  ::close(descriptor_);
}

// As many bytes as the file has: a device such as /dev/full could be read for ever.
Result<std::string> LockedFile::read() const {
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
  // A short write means that the rest would not fit.
  const int cause = written < 0 ? errno : ENOSPC;
  has_torn_append_ = written > 0 && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0;
  return system_error("cannot write", file_, cause);
}

}  // namespace wattune::store
