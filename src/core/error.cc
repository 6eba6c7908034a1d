#include "wattune/core/error.h"

#include <fmt/format.h>

#include "core/interface/printable.h"

namespace wattune::inline v0_1 {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::already_exists: return "already_exists";
    case ErrorCode::parse_error: return "parse_error";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::mismatch: return "mismatch";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::busy: return "busy";
    case ErrorCode::io_error: return "io_error";
    case ErrorCode::compile_failed: return "compile_failed";
    case ErrorCode::launch_failed: return "launch_failed";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

std::string to_string(const SourcePosition& position) {
  if (position.file.empty()) return {};
  if (!position.line) return position.file;
  if (!position.column) return fmt::format("{}:{}", position.file, *position.line);
  return fmt::format("{}:{}:{}", position.file, *position.line, *position.column);
}

Error::Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error Error::at(SourcePosition position) && {
  if (position_.file.empty()) position_ = std::move(position);
  return std::move(*this);
}

Error Error::about(std::string offending_text) && {
  if (offending_text_.empty()) offending_text_ = std::move(offending_text);
  return std::move(*this);
}

Error Error::hint(std::string advice) && {
  hint_ = std::move(advice);
  return std::move(*this);
}

Error Error::native(std::int64_t code, std::string name) && {
  native_code_ = code;
  native_name_ = std::move(name);
  return std::move(*this);
}

Error Error::with_context(std::string context) && {
  context_.push_back(std::move(context));
  return std::move(*this);
}

std::string Error::to_string() const {
  std::string line = wattune::to_string(position_);
  if (!line.empty()) line += ": ";
  for (auto context = context_.rbegin(); context != context_.rend(); ++context) line += *context + ": ";
  line += message_;
  if (!offending_text_.empty()) line += ": " + in_quotes(offending_text_);
  if (!native_name_.empty()) line += fmt::format(" [{} {}]", native_name_, native_code_);
  if (!hint_.empty()) line += " (" + hint_ + ")";
  return printable(line);
}

Exception::Exception(Error error) : std::runtime_error(error.to_string()), error_(std::move(error)) {}

}  // namespace wattune
