// Runs a compiler as a program, in a folder for its files. No shell is involved, so no character of a path has a
// special meaning.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/compile/own_folder.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// A new folder that is removed with its contents at the end.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept : folder_(std::exchange(other.folder_, std::nullopt)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::filesystem::path operator/(const char* name) const { return folder_->path() / name; }

 private:
  explicit TemporaryFolder(OwnFolder folder) : folder_(std::move(folder)) {}

  std::optional<OwnFolder> folder_;  // nullopt once this object was moved from
};

// Kills the running programs and removes the folders, for a process that is about to end without destructors. From then
// on, threads that want to start a program or make a folder are blocked until the process has ended. Any thread may
// call it.
void abandon_programs();

// A time limit that never passes.
inline constexpr Nanoseconds kWithoutLimit{std::numeric_limits<double>::infinity()};

// Runs command[0], which is searched in PATH, to its end. Its output goes into `log`. Returns the program's status in
// the form of waitpid(). Fails with not_found if there is no such program, with unavailable if it cannot be started.
// Fails with timeout, after which the program and all that it started are gone. The program inherits no other
// descriptor.
Result<int> run_program(const std::vector<std::string>& command, const std::filesystem::path& log,
                        Nanoseconds limit = kWithoutLimit);

// Returns the text that a program wrote to this file; empty if it wrote none.
std::string written_to(const std::filesystem::path& file);

// Returns the name of a signal, such as SIGSEGV.
std::string signal_name(int signal);
// Returns a sentence if the status says that a signal ended the program; empty otherwise.
std::string death_of(const std::string& program, int status);

// Makes programs start in the process group of this worker from now on, instead of in groups of their own. The client
// ends a worker together with its group. If a program exceeds its limit, processes that it started therefore live on
// until the worker ends.
void keep_programs_in_group();

}  // namespace wattune::backend
