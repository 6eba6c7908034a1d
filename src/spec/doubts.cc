#include <fmt/format.h>

#include "spec/names.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

bool is_part_of_name(char c) { return is_identifier(std::string("_") + c); }

// True if the text has the word as a word of its own, even in a comment or as the name of a variable. Only a compiler
// could tell these apart.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_part_of_name(text[end]))) return true;
  }
  return false;
}

bool reads(const KernelSource& source, const std::string& name) {
  return has_word(source.text, name) || has_word(source.function, name);
}

}  // namespace

std::vector<std::string> doubts(const KernelSpec& spec) {
  std::vector<std::string> all;
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.role == ParameterRole::code || !reads(spec.source, parameter.name)) continue;
    const std::string position = to_string(parameter.position);
    all.push_back(
        fmt::format("{}{}the kernel names `{}`, whose role is {}: it is no macro there. If it is not the kernel's own "
                    "variable, the role should be code",
                    position, position.empty() ? "" : ": ", parameter.name, to_string(parameter.role)));
  }
  return all;
}

}  // namespace wattune::spec
