#include "cli/program/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/program/text.h"
#include "core/interface/printable.h"

namespace wattune::cli {

namespace {

constexpr std::size_t kDefaultWidth = 80;
constexpr std::size_t kUnlimitedWidth = 1'000'000;

// Returns the stream of results. It is standard output, unless reserve_standard_output() has moved that to another
// descriptor.
std::FILE*& result_stream() {
  static std::FILE* stream = stdout;
  return stream;
}

std::optional<std::size_t> known_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  std::size_t columns = 0;
  if (const char* text = std::getenv("COLUMNS"); text != nullptr) {
    const std::string_view digits = text;
    std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  }
  return columns > 0 ? std::optional(columns) : std::nullopt;
}

}  // namespace

bool print_result(std::string_view text) { return print_document(printable_lines(text)); }

bool print_document(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), result_stream()) == text.size() && std::fflush(result_stream()) == 0;
  if (!written) print_error("cannot write to standard output");
  return written;
}

void reserve_standard_output() {
  std::fflush(stdout);
  const int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  std::FILE* const stream = own < 0 ? nullptr : fdopen(own, "w");
  if (stream == nullptr) return;
  result_stream() = stream;
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) close(STDOUT_FILENO);
}

void print_error(std::string_view message) { fmt::print(stderr, "wattune: error: {}\n", printable(message)); }

void print_note(std::string_view message) { fmt::print(stderr, "{}\n", printable(message)); }

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

std::function<void(std::size_t, std::size_t)> counting_line() {
  using Clock = std::chrono::steady_clock;
  return [shown = Clock::time_point()](std::size_t done, std::size_t all) mutable {
    if (done < all && Clock::now() - shown < std::chrono::milliseconds(100)) return;
    shown = Clock::now();
    fmt::print(stderr, "\r{} of {} runs", group_digits(done), group_digits(all));
    if (done == all) std::fputs("\r\033[K", stderr);
  };
}

std::size_t terminal_width(int descriptor) { return known_width(descriptor).value_or(kDefaultWidth); }

std::size_t table_width(int descriptor) { return known_width(descriptor).value_or(kUnlimitedWidth); }

}  // namespace wattune::cli
