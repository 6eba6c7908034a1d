// Functions that loading and merging results share.
#pragma once

#include <filesystem>
#include <string_view>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Reads the text of one record in any format except a database. Fails with parse_error. If the text holds several
// records, one after another, the message says so.
Result<ResultSet> parse_results(std::string_view text, const std::filesystem::path& file);

// True if the file begins as a database of SQLite does.
bool is_database(const std::filesystem::path& file);

}  // namespace wattune::store
