// LockedFile: an append-only file that one process writes at a time. If an append fails half way, none of its bytes
// stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::store {

// A file that is open and locked. One thread at a time uses it.
class LockedFile {
 public:
  // Opens or creates a file and locks it. Fails with busy if another process holds the lock for longer than `wait`.
  // Fails, instead of waiting, if it is a full pipe.
  static Result<LockedFile> open(const std::filesystem::path& file, std::chrono::milliseconds wait = {});
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&&) = delete;
  // Waits until the data is on the disk, then releases the lock.
  ~LockedFile();

  // Returns why the lock may not keep all other processes out, for the user; empty if it does keep them out.
  const std::string& doubt() const { return doubt_; }

  Result<std::string> read() const;
  // Checks that the file is unchanged. Fails with io_error if somebody else removed, replaced, truncated or wrote it
  // since it was opened.
  Result<void> check_intact() const;
  Result<void> cut_to(std::uint64_t bytes);
  // Appends the bytes by one write(2). After a failure the file is as long as before, or is cut to that length before
  // the next append.
  Result<void> append(std::string_view bytes);
  // Replaces the file by a new one with these bytes, and continues with the new one. The previous file stays under
  // another name (keep_beside()). Other processes see either the old or the new file. A failure changes nothing.
  Result<void> supersede(std::string_view bytes, std::string_view suffix);

 private:
  LockedFile(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_;
  std::string doubt_;
  std::uint64_t size_ = 0;        // size of the intact part of the file
  bool has_torn_append_ = false;  // true if bytes after size_ could not be cut off
};

}  // namespace wattune::store
