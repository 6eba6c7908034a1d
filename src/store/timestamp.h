// Points in time as text.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace wattune::store {

using TimePoint = std::chrono::system_clock::time_point;

// "2026-01-31T23:59:59.123456789Z"; reads back as the same time.
void append_timestamp(std::string& out, TimePoint time);
std::string format_timestamp(TimePoint time);
// "2026-01-31 23:59:59.123456+00:00", as Python writes it and result files of the field hold it.
std::string format_python_timestamp(TimePoint time);

// ISO 8601 and its relatives in result files: 'T' or a space between date and time, any number of decimals, then
// nothing, "Z", " UTC" or an offset such as "+01:00". nullopt for anything else.
std::optional<TimePoint> parse_timestamp(std::string_view text);

}  // namespace wattune::store
