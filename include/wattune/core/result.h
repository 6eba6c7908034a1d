// Result<T> and Error: how an operation that may fail tells its caller.
//
// A function that can fail for a reason the caller must handle returns Result<T>; nothing in the library
// prints or exits. An Error carries what went wrong, where in the user's files (SourcePosition), and the
// context that each layer added on the way up. A configuration that fails to compile, run or verify is not
// an Error but an Observation (see observation.h). Values are owned; both types are safe to move between threads.
//
//   Result<int> r = parse(text);
//   if (!r) return std::move(r).error().with_context("while reading the spec");
//   use(*r);
//
// The names follow std::expected (C++23), so that it can take over.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace wattune {

// What kind of failure this is; decides the exit status of the program.
enum class ErrorCode {
  invalid_argument,  // the caller or the user's file asked for something that cannot be
  not_found,         // no such file, device, parameter, kernel
  already_exists,    // would overwrite what the user has
  parse_error,       // text that does not follow its format
  out_of_range,      // arithmetic overflow, id outside the space
  mismatch,          // two things that must agree do not (journal and spec, argument and kernel)
  unavailable,       // a driver, library or permission is missing here
  busy,              // locked by another process
  io_error,          // the operating system refused a read or write
  compile_failed,    // the kernel compiler rejected the source; message holds its log
  launch_failed,     // the device refused or aborted a launch
  timeout,           // a limit passed
  device_lost,       // the device or its worker process is gone; reset() it
  cancelled,         // the user asked to stop
  internal,          // a bug in Wattune
};

// The lower_snake_case name of the code, as printed in JSON.
std::string_view to_string(ErrorCode code);

// A place in a text that the user wrote. line and column count from 1; 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePosition&) const = default;
};

// "file:line:column", leaving out what is unknown; empty when the file is.
std::string to_string(const SourcePosition& position);

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // Where in the user's text the mistake is. The innermost position wins: a later call does not replace it.
  Error at(SourcePosition position) &&;
  // The line or fragment of the user's text that is wrong; shown behind the message.
  Error about(std::string offending_text) &&;
  // What the user can do; shown last.
  Error hint(std::string advice) &&;
  // The vendor's own code and its name, such as (-54, "CL_INVALID_WORK_GROUP_SIZE").
  Error native(std::int64_t code, std::string name) &&;
  // What the caller was doing; outermost context is printed first.
  Error with_context(std::string context) &&;

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const SourcePosition& position() const { return position_; }
  const std::string& offending_text() const { return offending_text_; }
  const std::string& advice() const { return hint_; }
  std::int64_t native_code() const { return native_code_; }
  const std::string& native_name() const { return native_name_; }
  const std::vector<std::string>& context() const { return context_; }

  // One line: "file:line:column: context: message: `offending text` [native name] (hint)".
  std::string to_string() const;

 private:
  ErrorCode code_;
  std::string message_;
  SourcePosition position_;
  std::string offending_text_;
  std::string hint_;
  std::int64_t native_code_ = 0;
  std::string native_name_;
  std::vector<std::string> context_;  // innermost first
};

// Thrown by Result::value() for callers who prefer exceptions.
class Exception : public std::runtime_error {
 public:
  explicit Exception(Error error) : std::runtime_error(error.to_string()), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // The value; throws Exception when there is none.
  T& value() & { return checked(), *std::get_if<0>(&state_); }
  const T& value() const& { return checked(), *std::get_if<0>(&state_); }
  T&& value() && { return checked(), std::move(*std::get_if<0>(&state_)); }

  // The value or the error, when the caller has looked; undefined otherwise, as in std::expected.
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  void checked() const {
    if (!has_value()) throw Exception(*std::get_if<1>(&state_));
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return error_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (!has_value()) throw Exception(*std::get_if<1>(&error_));
  }
  const Error& error() const& { return *std::get_if<1>(&error_); }
  Error&& error() && { return std::move(*std::get_if<1>(&error_)); }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace wattune

// Leaves the calling function with the error of `expression`, or goes on.
#define WATTUNE_TRY(expression)                                                                        \
  do {                                                                                                 \
    if (auto wattune_result = (expression); !wattune_result) return std::move(wattune_result).error(); \
  } while (false)

#define WATTUNE_CONCAT_INNER(a, b) a##b
#define WATTUNE_CONCAT(a, b) WATTUNE_CONCAT_INNER(a, b)
#define WATTUNE_ASSIGN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                 \
  if (!temporary) return std::move(temporary).error();           \
  declaration = *std::move(temporary)

// Declares or assigns the value of `expression`, or leaves the calling function with its error:
//   WATTUNE_ASSIGN(auto space, SearchSpace::build(parameters, constraints));
#define WATTUNE_ASSIGN(declaration, expression) \
  WATTUNE_ASSIGN_INNER(WATTUNE_CONCAT(wattune_result_, __LINE__), declaration, expression)
