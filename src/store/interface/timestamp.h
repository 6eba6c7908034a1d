// Points in time as text.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::store {

using TimePoint = std::chrono::system_clock::time_point;

// Writes "2026-01-31T23:59:59.123456789Z", which reads back as the same time.
void append_timestamp(std::string& out, TimePoint time);
std::string format_timestamp(TimePoint time);
// Writes "2026-01-31 23:59:59.123456+00:00", the form of Python and of result files of the field.
std::string format_python_timestamp(TimePoint time);

// Parses ISO 8601 and related forms of result files. 'T' or a space separates date and time; any number of decimals may
// follow. At the end is nothing, "Z", " UTC" or an offset such as "+01:00". nullopt for anything else.
std::optional<TimePoint> parse_timestamp(std::string_view text);

}  // namespace wattune::store
