// Text of files, compilers and drivers on its way to a terminal: it may hold escape sequences, or bytes that are no
// text.
//
//   fmt::print("kernel  {}\n", printable(results.info.kernel_name));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wattune {

// On one line: control characters, line breaks and what turns the direction of writing become spaces, and bytes that
// are no UTF-8 become U+FFFD.
std::string printable(std::string_view text);

// The same, but line feeds and tabs stay: for a text of several lines.
std::string printable_lines(std::string_view text);

// Printable, in back quotes, and cut to the width of a line of text.
std::string in_quotes(std::string_view text);

// Bytes of the UTF-8 character that `text` starts with, or 0 when it starts with none. Precondition: not empty.
std::size_t utf8_character(std::string_view text);

}  // namespace wattune
