// Text for terminals: its width, cutting it, and tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/observation.h"

namespace wattune::report {

// Columns that UTF-8 text takes, each character being one.
std::size_t width_of(std::string_view text);

// The value, with what is known of its uncertainty: "12.35 ± 0.41". Without the unit.
std::string figure_text(const Metric& metric);

// Says in one sentence what a reader must know of the figures of energy; empty: nothing.
std::string warning_of(const std::vector<Metric>& metrics);

// At most `width` columns; what is cut off leaves an ellipsis.
std::string cut(std::string_view text, std::size_t width);

// Lines of at most `width` columns, broken at spaces and behind |; a longer word is left whole. All but the first are
// indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// The same with each line ended, and cut where a word is longer.
std::string paragraph(std::string_view text, std::size_t width, std::size_t indent = 0);

// Printable text inside XML.
std::string xml_text(std::string_view text);

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // All columns aligned to the left.
  static TextTable of_text(const std::vector<std::string>& titles);
  // One cell for each column.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Title and rows, each ending in a newline and at most `width` columns wide.
  std::string to_string(std::size_t width = std::string::npos) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace wattune::report
