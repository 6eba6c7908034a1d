// What keeps two processes from writing one file, and what it is worth where the file lies.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "wattune/core/result.h"

namespace wattune::store {

// Locks an open file for as long as its description is open. busy: another process held it as long as we waited, which
// is named where the system tells. Otherwise why the lock may not keep everybody out, in a sentence for the user;
// empty: it does.
Result<std::string> lock_file(int descriptor, const std::filesystem::path& file, std::chrono::milliseconds wait = {});

// What /proc/self/mountinfo says about locks on a device: as above, without the file's name.
std::string doubt_about_locks(std::istream& mountinfo, dev_t device);

}  // namespace wattune::store
