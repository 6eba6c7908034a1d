// Where the specs of benchmarks/ lie.
#pragma once

#include <filesystem>

#include "source_dir.h"

namespace wattune::device_test {

// In a bundle beside the program, in the sources, or in the folder in which the test runs.
inline std::filesystem::path benchmarks_folder() {
  for (const std::filesystem::path& folder :
       {std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "share/wattune/benchmarks",
        std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks"})
    if (std::filesystem::exists(folder)) return folder;
  return "benchmarks";
}

}  // namespace wattune::device_test
