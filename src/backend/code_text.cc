#include "backend/code_text.h"

#include <algorithm>
#include <cctype>
#include <sstream>

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

// Directives may go on in the next line.
std::string joined_lines(std::string text) {
  for (std::size_t at; (at = text.find("\\\n")) != std::string::npos;) text.replace(at, 2, "  ");
  return text;
}

// What one typedef calls `name`; empty without one, or where several differ. Pointers, arrays, functions and structs
// are left alone.
std::string typedef_of(const PlainCode& code, const std::string& name) {
  constexpr std::string_view kTypedef = "typedef ";
  std::string found;
  for (std::size_t at = 0; (at = code.text.find(kTypedef, at)) != std::string::npos;) {
    at += kTypedef.size();
    const std::string declared = code.text.substr(at, code.text.find(';', at) - at);
    std::vector<std::string> words = words_of(declared);
    if (words.size() < 2 || words.back() != name) continue;
    words.pop_back();
    std::string type;
    for (const std::string& word : words) type += (type.empty() ? "" : " ") + word;
    const auto is_macro = [&](const std::string& word) { return code.macros.contains(word); };
    const bool unclear =
        declared.find_first_of("*([{,#<:") != std::string::npos || std::ranges::any_of(words, is_macro);
    if (unclear || (!found.empty() && found != type)) return {};
    found = type;
  }
  return found;
}

}  // namespace

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_word(text[at])) continue;
    if (at == 0 || !is_word(text[at - 1])) words.emplace_back();
    words.back() += text[at];
  }
  return words;
}

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

PlainCode read_code(std::string_view source) {
  PlainCode code;
  int depth = 0;
  std::istringstream lines(joined_lines(without_comments(source)));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    const bool is_directive = first != std::string::npos && line[first] == '#';
    const std::vector<std::string> words = is_directive ? words_of(line) : std::vector<std::string>();
    if (!words.empty() && words[0].starts_with("if")) ++depth;
    if (!words.empty() && words[0] == "endif") --depth;
    if (words.size() > 1 && words[0] == "define") code.macros.insert(words[1]);
    code.text += is_directive || depth > 0 ? "#\n" : line + "\n";
  }
  return code;
}

std::string without_typedefs(const PlainCode& code, const std::string& type) {
  constexpr int kLongestChain = 8;
  const std::size_t stars = std::min(type.find('*'), type.size());
  std::string base = type.substr(0, stars);
  for (int i = 0; i < kLongestChain; ++i) {
    const std::string meant = typedef_of(code, base);
    if (meant.empty()) break;
    base = meant;
  }
  return base + type.substr(stars);
}

}  // namespace wattune::backend
