// The log: lines about Wattune's internal steps, for finding the causes of problems. Results and errors never go
// through it.
//
// It is off until a level is set, and says nothing without a sink. It belongs to the process. The log owns the sink
// until another replaces it. Any thread may call all functions. One thread at a time calls the sink, and the sink must
// not call any function of the log.
//
//   set_log_sink([](LogLevel level, std::string_view text) { my_logger.write(to_string(level), text); });
//   set_log_level(LogLevel::debug);
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "wattune/core/export.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1 {

// The levels, from most to least: details of every step; events of workers, compilations and caches; changes in the
// course of a run; risks to a result; failures; nothing.
enum class LogLevel { trace, debug, info, warn, error, off };

WATTUNE_EXPORT std::string_view to_string(LogLevel level);  // "debug"
WATTUNE_EXPORT std::optional<LogLevel> parse_log_level(std::string_view name);
// Returns the level that the environment variable WATTUNE_LOG names; `off` if it is not set or empty. Fails with
// invalid_argument if its value is not the name of a level.
WATTUNE_EXPORT Result<LogLevel> log_level_of_environment();

// Sets the level. Lines below it are not even formatted.
WATTUNE_EXPORT void set_log_level(LogLevel level);
WATTUNE_EXPORT LogLevel log_level();

// The receiver of the lines, which are printable and have no line feed. An empty function discards them.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;
WATTUNE_EXPORT void set_log_sink(LogSink sink);

// Sends lines with time and level to standard error, for use in programs. On a terminal they overwrite a line that is
// being redrawn, such as a line of progress.
WATTUNE_EXPORT void log_to_standard_error();

}  // namespace wattune
