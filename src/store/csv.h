// Tables with a mapping: docs/formats/csv.md.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "wattune/core/trial.h"

namespace wattune::store {

// The columns that decide which configuration wins, as members of winner_figures_from(). kNoValue stands where the
// objective has no value for a configuration.
inline constexpr std::array<const char*, 4> kOwnColumns = {"objective", "final", "final_time_ns", "final_objective"};
inline constexpr const char* kNoValue = "none";

// Behind a metric's name, of the column beside its own.
inline constexpr const char* kUncertainty = "_uncertainty";

bool looks_like_csv(std::string_view text, const std::filesystem::path& file);

// parse_error, with the line; not_found: no mapping in its first line or beside it.
Result<ResultSet> read_csv(std::string_view text, const std::filesystem::path& file);

}  // namespace wattune::store
