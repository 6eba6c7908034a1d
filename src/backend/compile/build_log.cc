#include "backend/interface/build_log.h"

#include <algorithm>

namespace wattune::inline v0_1::backend {

namespace {

bool names_error(std::string_view line) {
  return line.find("error") != std::string_view::npos || line.find("Error") != std::string_view::npos;
}

// Tells whether the error itself follows in the next line, as it does after "Error(s) while linking: ".
bool announces(std::string_view line) {
  const std::size_t last = line.find_last_not_of(' ');
  return last != std::string_view::npos && line[last] == ':';
}

}  // namespace

std::string telling_line(std::string_view log) {
  constexpr std::string_view kSaidBefore = "collect2: error: ld returned";
  std::string_view first;
  std::string_view before;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    if (line.empty()) continue;
    if (line.starts_with(kSaidBefore) && !before.empty()) return std::string(before);
    if (names_error(before) || (names_error(line) && !announces(line))) return std::string(line);
    if (first.empty()) first = line;
    before = line;
  }
  return std::string(first);
}

Error without_log(const Error& error) {
  if (error.code() != ErrorCode::compile_failed) return error;
  return Error(error.code(), telling_line(error.message()))
      .native(error.native_code(), error.native_name())
      .hint(error.advice());
}

}  // namespace wattune::backend
