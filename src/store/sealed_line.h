// JSON objects on lines that carry their checksum: what journals and wisdom files consist of.
//
// `,"xxh3":"<16 digits>"}` ends each line: XXH3 (64 bits, seed 0) of all bytes before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/document.h"
#include "store/limits.h"

namespace wattune::store {

// Completes an object that lacks its closing brace: by its checksum, the brace and a newline.
void seal(std::string& line);
// The object with its checksum.
std::string sealed(const Json& object);

// Takes a line without its end.
bool is_sealed(std::string_view line);
// Discarded when it is not JSON. Throws Malformed when it passes the limits.
Json parse_line(std::string_view line, JsonLimits& limits);

// Cuts lines off the front of a text, whose line ends may be those of Windows; a byte order mark is skipped.
class LineReader {
 public:
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  explicit LineReader(std::string_view text);

  struct Line {
    std::string_view text;      // without its end
    bool is_terminated = true;  // only the last one may be not
  };

  bool done() const { return begin_ == text_.size(); }
  std::size_t consumed() const { return begin_; }
  // Precondition: !done().
  Line next_line();
  // nullopt: the line is not terminated, and its checksum does not say that it is whole. Precondition: !done().
  std::optional<std::string_view> next();

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
};

}  // namespace wattune::store
