// Table: aligned columns of text, separated by two spaces, for terminals.
#pragma once

#include <string>
#include <vector>

namespace wattune::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }

  // As many cells as the header.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// `text`, or its beginning and "..." when longer than `width` bytes.
std::string shorten(const std::string& text, std::size_t width);

}  // namespace wattune::cli
