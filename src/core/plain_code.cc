#include "core/interface/plain_code.h"

#include <algorithm>
#include <cctype>

namespace wattune::inline v0_1 {

namespace {

// Returns the end of the literal R"mark(...)mark" whose quote is at `at`; `at` if no such literal begins there.
std::size_t end_of_raw_string(std::string_view source, std::size_t at) {
  if (source[at] != '"' || at == 0 || source[at - 1] != 'R') return at;
  const std::size_t open = source.find('(', at);
  if (open == std::string_view::npos || open - at > 17) return at;
  const std::string close = ")" + std::string(source.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = source.find(close, open);
  return end == std::string_view::npos ? at : end + close.size();
}

// Returns the end of the comment or literal that begins at `at`; `at` if neither begins there.
std::size_t end_of_text(std::string_view source, std::size_t at) {
  const std::string_view rest = source.substr(at);
  if (rest.starts_with("//")) return std::min(source.find('\n', at), source.size());
  if (rest.starts_with("/*")) return std::min(source.find("*/", at + 2), source.size() - 2) + 2;
  if (const std::size_t end = end_of_raw_string(source, at); end > at) return end;
  const char quote = rest.front();
  // A single quote directly behind a letter or digit separates digits of a number.
  if (quote != '"' && (quote != '\'' || (at > 0 && is_word(source[at - 1])))) return at;
  std::size_t end = at + 1;
  while (end < source.size() && source[end] != quote && source[end] != '\n') end += source[end] == '\\' ? 2 : 1;
  return std::min(end + 1, source.size());
}

}  // namespace

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_comments(std::string_view source) {
  std::string code(source);
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = end_of_text(source, at);
    for (std::size_t i = at; i < end; ++i)
      if (code[i] != '\n') code[i] = ' ';
    at = std::max(end, at + 1);
  }
  return code;
}

}  // namespace wattune
