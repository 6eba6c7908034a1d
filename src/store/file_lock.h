// Keeps two processes from writing one file by a lock, and tells on which file systems the lock may not work.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::store {

// Locks an open file for as long as its description is open. Returns why the lock may not keep all other processes out,
// as a sentence for the user; empty if it does keep them out. Fails with busy if another process held the lock for the
// whole time `wait`; the error names that process if the system reports it.
Result<std::string> lock_file(int descriptor, const std::filesystem::path& file, std::chrono::milliseconds wait = {});

// Returns why locks on a device may not work, by the lines of /proc/self/mountinfo. The result is a sentence without
// the file's name.
std::string doubt_about_locks(std::istream& mountinfo, dev_t device);

}  // namespace wattune::store
