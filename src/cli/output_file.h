// Files that a command is going to write, looked at before its work and not after it.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/core/result.h"

namespace wattune::cli {

// Of a file that is written at once. already_exists: there is one, which is not to be replaced; invalid_argument: it is
// a folder. Without a name nothing is to be written.
Result<void> check_new_file(const std::string& file, bool overwrite);

// What becomes of results that are there already.
struct ResultsUse {
  bool resume = false;     // they are gone on with
  bool overwrite = false;  // they are set aside
};

// Whether there is more than nothing or an empty file.
bool has_contents(const std::filesystem::path& file);
// Of a file that results are added to as they come. invalid_argument: a folder, or both uses; already_exists: it has
// contents, and there is no use for them, or they are not to be gone on with and are no results, such as a spec.
Result<void> check_results_file(const std::filesystem::path& file, const ResultsUse& use);
// Sets aside a file with contents, if that is its use. Errors of store::set_aside().
Result<void> make_room(const std::filesystem::path& file, const ResultsUse& use);

}  // namespace wattune::cli
