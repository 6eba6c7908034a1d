#include "backend/worker/error_stream.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <sstream>

#include "core/logging.h"

namespace wattune::inline v0_1::backend::worker {

namespace {

// The beginning of a log line in a worker's error stream: "wattune-log debug opened cuda:0".
constexpr std::string_view kLogMark = "wattune-log ";

// Logs the line if it is a line of the worker's log, and returns whether it was.
bool logged(std::string_view line, std::string_view worker) {
  if (!line.starts_with(kLogMark)) return false;
  line.remove_prefix(kLogMark.size());
  const std::size_t blank = line.find(' ');
  const std::optional<LogLevel> level = parse_log_level(line.substr(0, blank));
  if (!level || blank == std::string_view::npos) return false;
  log_at(*level, "{}: {}", worker, line.substr(blank + 1));
  return true;
}

}  // namespace

void log_to_client() {
  const Result<LogLevel> level = log_level_of_environment();
  if (!level || *level == LogLevel::off) return;
  set_log_level(*level);
  // Writes each line by one call, so that no other process cuts it in two.
  set_log_sink([](LogLevel of, std::string_view text) {
    const std::string line = fmt::format("{}{} {}\n", kLogMark, to_string(of), text);
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // the client has closed the stream
  });
}

std::string ErrorStream::take(std::string_view worker) {
  std::string text;
  char piece[4096];
  for (ssize_t n; (n = ::read(pipe_.get(), piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(n));
  std::string words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!logged(line, worker)) words += line + "\n";
  return words;
}

}  // namespace wattune::backend::worker
