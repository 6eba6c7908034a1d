// Writes and reads points in time as text.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::store {

using TimePoint = std::chrono::system_clock::time_point;

// Appends "2026-01-31T23:59:59.123456789Z", which reads back as the same time.
void append_timestamp(std::string& out, TimePoint time);
std::string format_timestamp(TimePoint time);
// Returns "2026-01-31 23:59:59.123456+00:00", the form that Python and other tuners' files use.
std::string format_python_timestamp(TimePoint time);

// Parses ISO 8601 and related forms of result files. 'T' or a space separates date and time; any number of decimals may
// follow. The text may end after them, or with "Z", " UTC" or an offset such as "+01:00". Returns nullopt for anything
// else.
std::optional<TimePoint> parse_timestamp(std::string_view text);

}  // namespace wattune::store
