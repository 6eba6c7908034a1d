// Checks, before a command's work begins, whether it can write its files afterwards.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/core/result.h"

namespace wattune::cli {

// Checks a file that is written in one piece. Fails with already_exists if the file exists and `overwrite` is false,
// with invalid_argument if it is a folder. An empty name means that nothing is written.
Result<void> check_new_file(const std::string& file, bool overwrite);

// The treatment of a result file that exists already.
struct ResultsUse {
  bool resume = false;     // continues the file
  bool overwrite = false;  // renames the file and begins a new one
};

// True if the file exists and is not empty.
bool has_contents(const std::filesystem::path& file);
// Checks a file to which results are added as they come. Fails with invalid_argument if the file is a folder, or if
// both uses are given. Fails with already_exists if the file has contents and no use is given. Fails with
// already_exists, too, if a file is to be overwritten that holds no results, such as a spec.
Result<void> check_results_file(const std::filesystem::path& file, const ResultsUse& use);
// Renames a file that is not empty, if `use` says so. Fails as store::set_aside() does.
Result<void> make_room(const std::filesystem::path& file, const ResultsUse& use);

}  // namespace wattune::cli
