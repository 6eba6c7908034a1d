// The log: lines about what goes on inside, for those who look for a cause. Results and errors never go through it.
//
// It is off until a level is set, and says nothing without a sink. It belongs to the process; the sink is owned by the
// log until another replaces it. Any thread may call all functions; the sink is called by one thread at a time and must
// not call any of them.
//
//   set_log_sink([](LogLevel level, std::string_view text) { my_logger.write(to_string(level), text); });
//   set_log_level(LogLevel::debug);
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune {

// From all to nothing: details of every step; what happens to workers, compilations and caches; what changes the course
// of a run; what may spoil a result; what failed.
enum class LogLevel { trace, debug, info, warn, error, off };

std::string_view to_string(LogLevel level);  // "debug"
std::optional<LogLevel> parse_log_level(std::string_view name);
// The one that the environment variable WATTUNE_LOG names; off where it is not set, or empty. invalid_argument: it
// names none.
Result<LogLevel> log_level_of_environment();

// Lines below the level are not made.
void set_log_level(LogLevel level);
LogLevel log_level();

// Where the lines go, printable and without a line feed; an empty function: nowhere.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;
void set_log_sink(LogSink sink);

// For programs: lines with time and level on standard error. On a terminal they take the place of a line that is being
// redrawn.
void log_to_standard_error();

}  // namespace wattune
