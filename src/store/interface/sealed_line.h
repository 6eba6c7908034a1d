// Writes and reads JSON objects on lines that end with a checksum, as in journals and wisdom files.
//
// `,"xxh3":"<16 digits>"}` ends each line: XXH3 (64 bits, seed 0) of all bytes before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/interface/document.h"
#include "store/limits.h"

namespace wattune::inline v0_1::store {

// Completes a line that holds an object without its closing brace: appends the checksum, the brace and a newline.
void seal(std::string& line);
// Returns the object as a line with its checksum.
std::string sealed(const Json& object);

// True if the line's checksum is right. `line` has no line end.
bool is_sealed(std::string_view line);
// Parses a line. Returns a discarded Json if it is not valid JSON. Throws Malformed if the line exceeds the limits.
Json parse_line(std::string_view line, JsonLimits& limits);

// A reader that takes lines from the front of a text. Line ends may be those of Windows; a byte order mark is skipped.
class LineReader {
 public:
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  explicit LineReader(std::string_view text);

  struct Line {
    std::string_view text;      // the line without its end
    bool is_terminated = true;  // false only for a last line without an end
  };

  bool done() const { return begin_ == text_.size(); }
  std::size_t consumed() const { return begin_; }
  // Returns the next line. Precondition: !done().
  Line next_line();
  // Returns the next line; nullopt if the line's end is missing and no correct checksum shows that the line is
  // complete. Precondition: !done().
  std::optional<std::string_view> next();

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
};

}  // namespace wattune::store
