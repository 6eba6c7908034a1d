// Prints to the outputs of the program, and tells their width.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace wattune::cli {

// Prints text for people on standard output. The text may contain names from files, so control characters except tabs
// and line feeds become spaces. If the text cannot be written (a full disk), prints an error on standard error and
// returns false.
[[nodiscard]] bool print_result(std::string_view text);
// Prints text for programs (JSON, exports), byte for byte. Returns false as print_result() does.
[[nodiscard]] bool print_document(std::string_view text);
// Keeps standard output for print_result() and print_document(). Text that kernels, drivers and child processes write
// there from now on goes to standard error.
void reserve_standard_output();
// Prints one line on standard error: "wattune: error: ...".
void print_error(std::string_view message);
// Prints one line on standard error that is no error.
void print_note(std::string_view message);

bool stderr_is_terminal();
// Returns a function that draws "3 of 40 runs" on standard error, at most ten times a second. The line is cleared when
// all runs are done.
std::function<void(std::size_t done, std::size_t all)> counting_line();
// Returns the number of columns of the terminal behind a descriptor. Without a terminal it is $COLUMNS, or else 80.
std::size_t terminal_width(int descriptor);
// Returns the width for tables of text. It is that of terminal_width(), but unlimited if neither a terminal nor
// $COLUMNS gives a width.
std::size_t table_width(int descriptor);

}  // namespace wattune::cli
