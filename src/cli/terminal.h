// What the program writes to, and how wide it is.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace wattune::cli {

// What people read, on standard output: names in it may come from anywhere, so control characters but tabs and line
// feeds become spaces. False when it could not be written (a full disk), said on standard error.
[[nodiscard]] bool print_result(std::string_view text);
// The same for what programs read (JSON, exports): byte for byte.
[[nodiscard]] bool print_document(std::string_view text);
// One line on standard error: "wattune: error: ...".
void print_error(std::string_view message);
// One line on standard error that is no error.
void print_note(std::string_view message);

bool stderr_is_terminal();
// A line of standard error that is redrawn, at most ten times a second: "3 of 40 runs". It goes when all are done.
std::function<void(std::size_t done, std::size_t all)> counting_line();
// Columns of the terminal behind a descriptor; 80 for anything else, as $COLUMNS says if set.
std::size_t terminal_width(int descriptor);
// The same for tables of text, which are not cut where neither a terminal nor $COLUMNS says how wide they may be.
std::size_t table_width(int descriptor);

}  // namespace wattune::cli
