// An error: its kind, its place in the user's files, and the remedy that the user has.
//
// Functions return it in a Result (result.h). Each layer that it passes on its way up may add context. A configuration
// that fails to compile, run or verify is not an Error but an Observation (observation.h). A value that owns its parts
// and is safe to move between threads.
//
//   return Error(ErrorCode::not_found, "no such parameter").at(position).about(name).hint("did you mean `block`?");
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/export.h"

namespace wattune::inline v0_1 {

// The kind of a failure. It decides the exit status of the program.
enum class ErrorCode {
  invalid_argument,  // the caller or the user's file asked for something impossible
  not_found,         // no such file, device, parameter, kernel
  already_exists,    // would overwrite something that the user has
  parse_error,       // text that does not follow its format
  out_of_range,      // arithmetic overflow, id outside the space
  mismatch,          // two things that must agree do not (journal and spec, argument and kernel)
  unavailable,       // a driver, library or permission is missing here
  busy,              // locked by another process
  io_error,          // the operating system refused a read or write
  compile_failed,    // the kernel compiler rejected the source; message holds its log
  launch_failed,     // the device refused or aborted a launch
  timeout,           // a limit of time passed
  device_lost,       // the device or its worker process is gone; reset() it
  cancelled,         // the user asked to stop
  internal,          // a bug in Wattune
};

// Returns the lower_snake_case name of the code, as printed in JSON.
WATTUNE_EXPORT std::string_view to_string(ErrorCode code);

// A place in a text that the user wrote, as far as it is known. Line and column count from 1.
struct WATTUNE_EXPORT SourcePosition {
  std::string file;
  std::optional<int> line = {};
  std::optional<int> column = {};

  bool operator==(const SourcePosition&) const = default;
};

// Returns "file:line:column" without the parts that are unknown; empty if the file is unknown.
WATTUNE_EXPORT std::string to_string(const SourcePosition& position);

class [[nodiscard]] WATTUNE_EXPORT Error {
 public:
  Error(ErrorCode code, std::string message);
  // Copies or moves an error. Both are defined in the library, because inline code would appear several times in every
  // function that returns a Result.
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  // Sets the place of the mistake in the user's text. The innermost position wins: a later call does not replace it.
  Error at(SourcePosition position) &&;
  // Sets the line or fragment of the user's text that is wrong. It is shown behind the message.
  Error about(std::string offending_text) &&;
  // Sets the advice to the user. It is shown last.
  Error hint(std::string advice) &&;
  // Sets the vendor's own code and its name, such as (-54, "CL_INVALID_WORK_GROUP_SIZE").
  Error native(std::int64_t code, std::string name) &&;
  // Adds a description of the operation that the caller was performing. The outermost context is printed first.
  Error with_context(std::string context) &&;

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const SourcePosition& position() const { return position_; }
  const std::string& offending_text() const { return offending_text_; }
  const std::string& advice() const { return hint_; }
  std::int64_t native_code() const { return native_code_; }
  const std::string& native_name() const { return native_name_; }
  const std::vector<std::string>& context() const { return context_; }

  // Returns one line: "file:line:column: context: message: `offending text` [native name] (hint)".
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

// The exception that Result::value() throws, for callers who prefer exceptions.
class WATTUNE_EXPORT Exception : public std::runtime_error {
 public:
  explicit Exception(Error error);
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace wattune
