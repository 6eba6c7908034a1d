// Running a compiler as a program: a folder for its files, and the program itself, without a shell, so that no
// character of a path means anything to one.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/own_folder.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// A new folder, removed with all it holds.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept : folder_(std::exchange(other.folder_, std::nullopt)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::filesystem::path operator/(const char* name) const { return folder_->path() / name; }

 private:
  explicit TemporaryFolder(OwnFolder folder) : folder_(std::move(folder)) {}

  std::optional<OwnFolder> folder_;  // none once it has moved
};

// For a process that is about to end without destructors: kills the programs that run, removes the folders, and holds
// up every thread that wants to start or make another, until the process has ended. From any thread.
void abandon_programs();

inline constexpr Nanoseconds kWithoutLimit{std::numeric_limits<double>::infinity()};

// Runs command[0], searched in PATH, with its output in `log`, to its end: the status as waitpid() tells it. not_found
// (no such program), unavailable (it cannot be started); timeout, after which it and what it started are gone. It
// inherits no other descriptor.
Result<int> run_program(const std::vector<std::string>& command, const std::filesystem::path& log,
                        Nanoseconds limit = kWithoutLimit);

// What a program wrote to this file; empty where it wrote none.
std::string written_to(const std::filesystem::path& file);

// Such as SIGSEGV.
std::string signal_name(int signal);
// In words, when the status of a program says that a signal ended it; else empty.
std::string death_of(const std::string& program, int status);

// For a worker, whose client ends it together with its process group: from now on programs stay in that group, instead
// of leading one of their own. What a program started then outlives a timeout until the client ends the worker.
void keep_programs_in_group();

}  // namespace wattune::backend
