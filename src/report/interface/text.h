// Formats text for terminals: measures its width, cuts it, and makes tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::report {

// Returns the number of columns that UTF-8 text takes. Each character takes one column.
std::size_t width_of(std::string_view text);

// Formats the value without its unit. If its uncertainty is known, the text is such as "12.35 ± 0.41".
std::string figure_text(const Metric& metric);

// Returns one sentence of warning if the figures of energy must be read with caution. Returns an empty text otherwise.
std::string warning_of(const std::vector<Metric>& metrics);

// Cuts text to at most `width` columns, with an ellipsis in place of the rest.
std::string cut(std::string_view text, std::size_t width);

// Breaks text at spaces and behind | into lines of at most `width` columns; a longer word is not broken. All lines but
// the first are indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// Breaks text as wrapped() does, adds a newline to each line, and cuts words that are longer than a line.
std::string paragraph(std::string_view text, std::size_t width, std::size_t indent = 0);

// Escapes text for XML. Characters that are not printable are replaced.
std::string xml_text(std::string_view text);

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Makes a table with all columns aligned to the left.
  static TextTable of_text(const std::vector<std::string>& titles);
  // Adds a row with one cell for each column.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Returns the title and the rows. Each line ends in a newline and has at most `width` columns.
  std::string to_string(std::size_t width = std::string::npos) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace wattune::report
