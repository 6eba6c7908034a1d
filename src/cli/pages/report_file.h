// Writes a page about files of results, for `wattune report` and `wattune tune --report`.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::cli {

// Reads the files and writes the page. Nothing is written if one of them cannot be read. Fails with errors of reading
// and writing, and with already_exists if the output exists and `overwrite` is false.
Result<void> write_report(const std::vector<std::string>& files, const std::string& output, bool overwrite);

}  // namespace wattune::cli
