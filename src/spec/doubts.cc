#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/interface/plain_code.h"
#include "spec/read_names.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

std::string_view without_end_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// True if a name is declared at its place, judged by the texts before and behind it. The name is a macro, or it stands
// between a word that may be a type and a sign that ends a declared name.
bool is_declared(std::string_view before, std::string_view behind) {
  constexpr std::string_view kNoTypes[] = {"return", "else", "case",   "goto", "do",  "sizeof",
                                           "throw",  "new",  "delete", "and",  "not", "or"};
  before = without_end_blanks(before);
  std::size_t begin = before.size();
  while (begin > 0 && is_word(before[begin - 1])) --begin;
  const std::string_view type = before.substr(begin);
  if (type == "define") return true;
  if (type.empty() || std::isdigit(static_cast<unsigned char>(type.front())) != 0) return false;
  const std::size_t next = behind.find_first_not_of(" \t\r\n");
  return std::ranges::count(kNoTypes, type) == 0 && next != std::string_view::npos &&
         std::string_view("=;,)[").find(behind[next]) != std::string_view::npos;
}

// True if the code uses the name, other than as the name of a member or of a variable that the code declares. Names in
// comments and quoted text do not count.
bool uses(const std::string& text, std::string_view name) {
  const std::string plain = without_comments(text);
  const std::string_view code = plain;
  bool found = false;
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const std::string_view before = code.substr(0, at);
    const std::string_view behind = code.substr(at + name.size());
    const bool is_whole = (before.empty() || !is_word(before.back())) && (behind.empty() || !is_word(behind.front()));
    if (!is_whole) continue;
    if (is_declared(before, behind)) return false;
    const std::string_view access = without_end_blanks(before);
    found |= !access.ends_with('.') && !access.ends_with("->") && !access.ends_with("::");
  }
  return found;
}

bool reads(const KernelSource& source, const std::string& name) {
  return uses(source.text, name) || uses(source.function, name);
}

std::string place_of(const Parameter& parameter) {
  const std::string position = to_string(parameter.position);
  return position.empty() ? position : position + ": ";
}

// Appends messages about parameters that neither an expression nor the kernel reads.
void add_unread(const KernelSpec& spec, std::vector<std::string>& all) {
  const std::string expressions = expressions_of(spec);
  const std::optional<std::string> code = code_of(spec);
  for (const Parameter& parameter : spec.parameters) {
    if (is_set_on_board(parameter.role) || has_word(expressions, parameter.name)) continue;
    if (parameter.role == ParameterRole::code && (!code || has_word(*code, parameter.name))) continue;
    all.push_back(fmt::format("{}nothing reads the parameter `{}`: {}", place_of(parameter), parameter.name,
                              parameter.role == ParameterRole::code ? "neither the kernel nor an expression of the spec"
                                                                    : "no expression of the spec does"));
  }
}

}  // namespace

std::vector<std::string> doubts(const KernelSpec& spec) {
  std::vector<std::string> all;
  for (const Parameter& parameter : spec.parameters)
    if (parameter.role != ParameterRole::code && reads(spec.source, parameter.name))
      all.push_back(
          fmt::format("{}the kernel names `{}`, whose role is {}: it is no macro there. If it is not the kernel's own "
                      "variable, the role should be code",
                      place_of(parameter), parameter.name, to_string(parameter.role)));
  add_unread(spec, all);
  return all;
}

}  // namespace wattune::spec
