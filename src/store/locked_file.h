// LockedFile: an append-only file that one process writes at a time and that never keeps half of an append.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::store {

class LockedFile {
 public:
  // Opens or creates. busy: another process held it as long as we waited. A pipe that is full is an error, not a wait.
  static Result<LockedFile> open(const std::filesystem::path& file, std::chrono::milliseconds wait = {});
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&&) = delete;
  // Waits for the disk, then lets others write.
  ~LockedFile();

  // Why its lock may not keep everybody else out, for the user; empty: it does.
  const std::string& doubt() const { return doubt_; }

  Result<std::string> read() const;
  // io_error: the file was removed, replaced, truncated or written by somebody else since it was opened.
  Result<void> check_intact() const;
  Result<void> cut_to(std::uint64_t bytes);
  // With one write(2); on failure the file is as long as before, or made so before the next append.
  Result<void> append(std::string_view bytes);
  // Puts a file of these bytes in its place and goes on with that; the one before keeps its bytes under another name
  // (keep_beside()). Other processes see the one or the other. On failure nothing has changed.
  Result<void> supersede(std::string_view bytes, std::string_view suffix);

 private:
  LockedFile(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_;
  std::string doubt_;
  std::uint64_t size_ = 0;        // of what is intact
  bool has_torn_append_ = false;  // bytes behind size_ that could not be cut off
};

}  // namespace wattune::store
