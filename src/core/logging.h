// Writing to the log (wattune/core/log.h), with fmt's formats.
//
//   log_info("worker {}: killed, because {}", pid, reason);
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "wattune/core/log.h"

namespace wattune::inline v0_1 {

void write_log(LogLevel level, std::string_view text);

// Formats and writes a line if its level is one that the log writes.
template <typename... Arguments>
void log_at(LogLevel level, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  if (level >= log_level()) write_log(level, fmt::format(format, std::forward<Arguments>(arguments)...));
}

template <typename... Arguments>
void log_debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_at(LogLevel::debug, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void log_info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_at(LogLevel::info, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void log_warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_at(LogLevel::warn, format, std::forward<Arguments>(arguments)...);
}

}  // namespace wattune
