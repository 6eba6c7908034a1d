#include "backend/compile/name_collision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "backend/compile/code_text.h"
#include "backend/cuda/source_text.h"
#include "backend/interface/c_type.h"

namespace wattune::inline v0_1::backend {

namespace {

// Tells whether the word may stand right before a value, and so is no type.
bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 11> kKeywords{
      "return", "else", "case", "do", "goto", "sizeof", "const", "static", "volatile", "throw", "typename"};
  return std::ranges::count(kKeywords, word) > 0;
}

std::string_view trimmed(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t") + 1); }

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::string_view without_stars(std::string_view text) {
  while (text.ends_with('*')) text = trimmed(text.substr(0, text.size() - 1));
  return text;
}

// Returns the text that the name between `before` and `behind` replaces: a member, or a name with the type before it.
// Before a star only the language's own types count, because it may be a product otherwise.
std::optional<std::string> replaced(std::string_view before, std::string_view name, std::string_view behind,
                                    Language language) {
  before = trimmed(before);
  if (before.ends_with('.')) return fmt::format("{}.{}", last_word(before.substr(0, before.size() - 1)), name);
  if (before.ends_with("->")) return fmt::format("{}->{}", last_word(before.substr(0, before.size() - 2)), name);
  const std::size_t next = behind.find_first_not_of(" \t");
  const bool ends = next != std::string_view::npos && std::string_view(",;)=[({").find(behind[next]) < behind.size();
  const std::string type(last_word(without_stars(before)));
  if (!ends || type.empty() || is_keyword(type)) return std::nullopt;
  const bool known = type == "void" || parameter_of("", type, language).element;
  if (!known && (before.ends_with('*') || std::isdigit(static_cast<unsigned char>(type.front())) != 0))
    return std::nullopt;
  return fmt::format("{}{} {}", type, before.ends_with('*') ? "*" : "", name);
}

// Returns the message for the first collision in a line of code; empty if there is none.
std::string collision_in(std::string_view line, const KernelSource& source, std::span<const Macro> macros, int number) {
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end + 1) {
    end = begin;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::string word(line.substr(begin, end - begin));
    const auto macro = std::ranges::find(macros, word, &Macro::name);
    if (word.empty() || macro == macros.end() || cuda::style_of(source, word) != ParameterStyle::macros) continue;
    const auto meant = replaced(line.substr(0, begin), word, line.substr(end), source.language);
    if (meant)
      return fmt::format("likely because parameter `{}` is a macro, which puts `{}` into `{}` in line {}: rename one",
                         word, macro->value, *meant, number);
  }
  return {};
}

}  // namespace

std::string name_collision(const KernelSource& source, std::span<const Macro> macros) {
  std::istringstream lines(without_comments(source.text));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    if (std::string collision = collision_in(line, source, macros, number); !collision.empty()) return collision;
  }
  return {};
}

}  // namespace wattune::backend
