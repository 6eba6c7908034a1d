#include "backend/build_log.h"

#include <algorithm>

namespace wattune::backend {

std::string telling_line(std::string_view log) {
  std::string_view first;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    if (line.find("error") != std::string_view::npos) return std::string(line);
    if (first.empty()) first = line;
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
