// The only source that knows spdlog, whose headers take seconds to compile.
#include "wattune/core/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "core/interface/printable.h"
#include "core/logging.h"

namespace wattune::inline v0_1 {

namespace {

constexpr std::array<std::string_view, 6> kNames{"trace", "debug", "info", "warn", "error", "off"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  constexpr std::array kLevels{spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                               spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  return kLevels[static_cast<std::size_t>(level)];
}

LogLevel level_of(spdlog::level::level_enum level) {
  for (const LogLevel each : {LogLevel::trace, LogLevel::debug, LogLevel::info, LogLevel::warn})
    if (spdlog_level(each) == level) return each;
  return LogLevel::error;
}

class FunctionSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(LogSink function) : function_(std::move(function)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    function_(level_of(message.level), {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

 private:
  const LogSink function_;
};

std::atomic<LogLevel> wanted{LogLevel::off};

// The logger in use. A thread that logs keeps its logger alive while another thread replaces it. This object is never
// destroyed, because threads may outlive main().
struct Current {
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> logger;
};
Current& current() {
  static auto* const one = new Current;
  return *one;
}

std::shared_ptr<spdlog::logger> logger() {
  const std::lock_guard lock(current().mutex);
  return current().logger;
}

void use(spdlog::sink_ptr sink) {
  std::shared_ptr<spdlog::logger> made;
  if (sink) made = std::make_shared<spdlog::logger>("wattune", std::move(sink));
  if (made) made->set_level(spdlog::level::trace);  // write_log() is only called for wanted levels
  const std::lock_guard lock(current().mutex);
  current().logger = std::move(made);
}

}  // namespace

std::string_view to_string(LogLevel level) { return kNames[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  return std::nullopt;
}

Result<LogLevel> log_level_of_environment() {
  const char* const name = std::getenv("WATTUNE_LOG");
  if (name == nullptr || *name == '\0') return LogLevel::off;
  if (const std::optional<LogLevel> named = parse_log_level(name)) return *named;
  return Error(ErrorCode::invalid_argument, "WATTUNE_LOG names no level")
      .about(name)
      .hint("trace, debug, info, warn, error or off");
}

void set_log_level(LogLevel level) { wanted = level; }

LogLevel log_level() { return wanted; }

void set_log_sink(LogSink sink) { use(sink ? std::make_shared<FunctionSink>(std::move(sink)) : nullptr); }

void log_to_standard_error() {
  const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  const std::string clear = isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
  sink->set_pattern(clear + "[%H:%M:%S.%e] [%l] %v");
  use(sink);
}

void write_log(LogLevel level, std::string_view text) {
  if (const auto to = logger()) to->log(spdlog_level(level), printable(text));
}

}  // namespace wattune
