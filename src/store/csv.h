// Tables with a mapping: docs/formats/csv.md.
#pragma once

#include <filesystem>
#include <string_view>

#include "wattune/core/trial.h"

namespace wattune::store {

bool looks_like_csv(std::string_view text, const std::filesystem::path& file);

// parse_error, with the line; not_found: no mapping in its first line or beside it.
Result<ResultSet> read_csv(std::string_view text, const std::filesystem::path& file);

}  // namespace wattune::store
