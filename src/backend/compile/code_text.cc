#include "backend/compile/code_text.h"

#include <algorithm>
#include <cctype>

namespace wattune::inline v0_1::backend {

namespace {

// Returns the words of a type with one blank between them. Returns an empty text for pointers, arrays, functions and
// structs, and if a macro in the type is not clear.
std::string plain_type(const PlainCode& code, const std::string& declared) {
  const std::optional<std::string> meant = expanded(declared, code.macros);
  if (!meant || meant->find_first_of("*([{,#<:") != std::string::npos) return {};
  std::string type;
  for (const std::string& word : words_of(*meant))
    if (word != "const" && word != "volatile") type += (type.empty() ? "" : " ") + word;
  return type;
}

// Returns the type to which a declaration gives the name `name`. The declaration begins with `keyword` ("typedef ",
// "using "). The result is "?" if the type is not clear, and empty if another name is declared.
std::string declared_type(const PlainCode& code, std::string_view keyword, std::string declaration,
                          const std::string& name) {
  if (keyword == "using ") {
    const std::size_t sign = declaration.find('=');
    if (sign == std::string::npos || words_of(declaration.substr(0, sign)) != std::vector<std::string>{name}) return {};
    declaration.erase(0, sign + 1);
  } else {
    const std::size_t end = declaration.find_last_not_of(" \t\r\n");
    const std::vector<std::string> words = words_of(declaration);
    if (words.size() < 2 || words.back() != name) return {};
    if (!is_word(declaration[end])) return "?";
    declaration.erase(end + 1 - name.size());
  }
  const std::string type = plain_type(code, declaration);
  return type.empty() ? "?" : type;
}

// Returns the type that the code's typedefs and aliases give the name `name`. Returns an empty text if there is no such
// type, if several differ, or if one is not clear.
std::string typedef_of(const PlainCode& code, const std::string& name) {
  std::string found;
  for (const std::string_view keyword : {"typedef ", "using "}) {
    for (std::size_t at = 0; (at = code.text.find(keyword, at)) != std::string::npos;) {
      const bool apart = at == 0 || !is_word(code.text[at - 1]);
      at += keyword.size();
      if (!apart) continue;
      const std::string type = declared_type(code, keyword, code.text.substr(at, code.text.find(';', at) - at), name);
      if (type == "?" || (!found.empty() && !type.empty() && found != type)) return {};
      if (!type.empty()) found = type;
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_word(text[at])) continue;
    if (at == 0 || !is_word(text[at - 1])) words.emplace_back();
    words.back() += text[at];
  }
  return words;
}

std::string without_typedefs(const PlainCode& code, const std::string& type) {
  constexpr int kLongestChain = 8;
  const std::size_t stars = std::min(type.find('*'), type.size());
  std::string base = type.substr(0, stars);
  for (int i = 0; i < kLongestChain; ++i) {
    std::string meant = code.macros.contains(base) ? plain_type(code, base) : typedef_of(code, base);
    if (meant.empty() || meant == base) break;
    base = std::move(meant);
  }
  return base + type.substr(stars);
}

}  // namespace wattune::backend
