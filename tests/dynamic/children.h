// Child processes of this process: compilers, and the screening process.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace wattune::test {

inline std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

}  // namespace wattune::test
