#include "spec/text.h"

#include <algorithm>

namespace wattune::inline v0_1::spec {

namespace {

// True if the byte is the first byte of a UTF-8 character. That is any byte that does not have the form 10xxxxxx.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string line_of(std::string_view text, int line) {
  const std::vector<std::string_view> lines = split_lines(text);
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  const std::string_view whole = lines[line - 1];
  const std::size_t first = whole.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(whole.substr(first, whole.find_last_not_of(" \t") - first + 1));
}

std::string_view from_column(std::string_view line, int column) {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (begins_character(line[i]) && --column == 0) return line.substr(i);
  return {};
}

int characters_in(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), begins_character));
}

}  // namespace wattune::spec
