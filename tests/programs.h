// Where tests find the programs built beside them, wherever the build was carried to.
#pragma once

#include <filesystem>
#include <string>

namespace wattune::test {

inline std::filesystem::path program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace wattune::test
