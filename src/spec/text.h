// Lines and columns of a text. Columns count characters, not bytes, as in editors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spec/document.h"

namespace wattune::inline v0_1::spec {

std::string_view without_byte_order_mark(std::string_view text);

// Splits a text into lines without line breaks.
std::vector<std::string_view> split_lines(std::string_view text);

// Returns a line without surrounding blanks; empty if there is no such line.
std::string line_of(std::string_view text, int line);

// Returns the rest of a line from a column on; empty if the line is shorter.
std::string_view from_column(std::string_view line, int column);

// Counts the characters that the bytes of `text` encode.
int characters_in(std::string_view text);

}  // namespace wattune::spec
