// Finds Wattune's programs for tests, wherever they were moved to: beside the test, as in a build, or as installed.
#pragma once

#include <filesystem>
#include <string>

namespace wattune::test {

inline std::filesystem::path program(const std::string& name) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto installed = folder.parent_path() / "libexec" / "wattune" / name;
  return std::filesystem::exists(installed) ? installed : folder / name;
}

}  // namespace wattune::test
