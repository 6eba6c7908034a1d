// The folder of the specs of benchmarks/.
#pragma once

#include <filesystem>

#include "source_dir.h"

namespace wattune::device_test {

// Returns the folder: in a bundle beside the program, in the sources, or where the test runs.
inline std::filesystem::path benchmarks_folder() {
  for (const std::filesystem::path& folder :
       {std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "share/wattune/benchmarks",
        std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks"})
    if (std::filesystem::exists(folder)) return folder;
  return "benchmarks";
}

}  // namespace wattune::device_test
