// Formats text for terminals: measures its width, cuts it, and makes tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::report {

// Returns the columns that UTF-8 text takes, each character being one.
std::size_t width_of(std::string_view text);

// Formats the value with its uncertainty, if known: "12.35 ± 0.41", without the unit.
std::string figure_text(const Metric& metric);

// Returns one sentence that warns about the figures of energy, if a reader must know something; otherwise an empty
// text.
std::string warning_of(const std::vector<Metric>& metrics);

// Cuts text to at most `width` columns, with an ellipsis in place of the rest.
std::string cut(std::string_view text, std::size_t width);

// Breaks text at spaces and behind | into lines of at most `width` columns; a longer word is left whole. All lines but
// the first are indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// Breaks text as wrapped() does, ends each line, and cuts longer words.
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
  // Returns title and rows, each ending in a newline and at most `width` columns wide.
  std::string to_string(std::size_t width = std::string::npos) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace wattune::report
