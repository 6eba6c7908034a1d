// Functions that make text of files, compilers and drivers safe for a terminal. Such text may hold escape sequences, or
// bytes that are not text.
//
//   fmt::print("kernel  {}\n", printable(results.info.kernel_name));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wattune::inline v0_1 {

// Returns the text on one line. Control characters, line breaks and characters that change the writing direction become
// spaces. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

// Makes a text of several lines printable, as printable() does with one line, but keeps line feeds and tabs.
std::string printable_lines(std::string_view text);

// Returns the printable text in back quotes, cut to the width of a line.
std::string in_quotes(std::string_view text);

// Returns the number of bytes of the UTF-8 character that `text` begins with, or 0 if it does not begin with one.
// Precondition: the text is not empty.
std::size_t utf8_character(std::string_view text);

}  // namespace wattune
