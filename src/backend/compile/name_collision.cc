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

// Tells whether the word is a keyword that may stand right before a value. Such a word is not a type.
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

// Returns the piece of code that the macro of this name breaks, given the text around the name: a member, or a
// declaration with its type. If a star precedes the name, only types of the language count, because the text may
// otherwise be a product.
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

// Adds the collisions in a line of code, for parameters without a collision so far.
void add_collisions(std::string_view line, const KernelSource& source, std::span<const Macro> macros, int number,
                    std::vector<NameCollision>& found) {
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end + 1) {
    end = begin;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::string word(line.substr(begin, end - begin));
    const auto macro = std::ranges::find(macros, word, &Macro::name);
    if (word.empty() || macro == macros.end() || cuda::style_of(source, word) != ParameterStyle::macros) continue;
    if (std::ranges::count(found, word, &NameCollision::parameter) > 0) continue;
    const auto meant = replaced(line.substr(0, begin), word, line.substr(end), source.language);
    if (meant)
      found.push_back(
          {word, number,
           fmt::format("likely because parameter `{}` is a macro, which puts `{}` into `{}` in line {}: rename one",
                       word, macro->value, *meant, number)});
  }
}

// Tells whether a message is about the line: "k.cl:12:5: error" or "k.cu(12): error".
bool names_line(std::string_view log, int line) {
  return log.find(fmt::format(":{}:", line)) != std::string_view::npos ||
         log.find(fmt::format("({})", line)) != std::string_view::npos;
}

}  // namespace

std::vector<NameCollision> name_collisions(const KernelSource& source, std::span<const Macro> macros) {
  std::vector<NameCollision> found;
  std::istringstream lines(without_comments(source.text));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    add_collisions(line, source, macros, number, found);
  }
  return found;
}

std::string tested_collision(const KernelSource& source, std::span<const Macro> macros, std::string_view log,
                             const TrialCompilation& compile) {
  constexpr std::size_t kMostTestedSuspects = 3;
  std::vector<NameCollision> suspects = name_collisions(source, macros);
  if (suspects.size() > kMostTestedSuspects) suspects.resize(kMostTestedSuspects);
  for (const NameCollision& suspect : suspects) {
    std::vector<Macro> others(macros.begin(), macros.end());
    std::erase_if(others, [&](const Macro& macro) { return macro.name == suspect.parameter; });
    const std::optional<std::string> messages = compile(others);
    if (!messages || (names_line(log, suspect.line) && !names_line(*messages, suspect.line))) return suspect.message;
  }
  return {};
}

}  // namespace wattune::backend
