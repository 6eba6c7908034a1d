#include "backend/code_text.h"

#include <algorithm>
#include <cctype>

namespace wattune::backend {

namespace {

// Where the comment or the literal ends that begins at `at`; `at` when neither does.
std::size_t end_of_text(std::string_view source, std::size_t at) {
  const std::string_view rest = source.substr(at);
  if (rest.starts_with("//")) return std::min(source.find('\n', at), source.size());
  if (rest.starts_with("/*")) return std::min(source.find("*/", at + 2), source.size() - 2) + 2;
  const char quote = rest.front();
  // A quote behind a word separates digits.
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

}  // namespace wattune::backend
