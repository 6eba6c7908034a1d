// Tables in CSV whose first line, the mapping, tells what each column holds (docs/formats/csv.md): the names of columns
// and the reader.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Names of the columns that decide which configuration wins; winner_figures_from() reads members of these names.
// kNoValue stands in the column of the objective if a configuration has no objective.
inline constexpr std::array<const char*, 4> kOwnColumns = {"objective", "final", "final_time_ns", "final_objective"};
inline constexpr const char* kNoValue = "none";

// The suffix that a metric's name has in the column of its uncertainty.
inline constexpr const char* kUncertainty = "_uncertainty";

bool looks_like_csv(std::string_view text, const std::filesystem::path& file);

// Reads a table. Fails with parse_error, which names the line, and with not_found if the table has no mapping in its
// first line, and no file beside it has one.
Result<ResultSet> read_csv(std::string_view text, const std::filesystem::path& file);

}  // namespace wattune::store
