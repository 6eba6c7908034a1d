#include "backend/cuda/function_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "backend/cuda/template_name.h"
#include "core/interface/some_of.h"
#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Removes anonymous namespaces, because users name such kernels without them.
std::string without_anonymous_namespaces(std::string text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = text.find(kAnonymous)) != std::string::npos;) text.erase(at, kAnonymous.size());
  return text;
}

// Returns advice for an unknown name: similar names, or else some names that exist. If a template may be missing, the
// advice gives the reason.
std::string advice(const std::string& wanted, const std::vector<std::string>& names) {
  if (names.empty()) return "it has no kernels";
  std::string text = suggest(wanted, names);
  if (!text.starts_with("did you mean")) text = fmt::format("one of: {}", some_of(names));
  if (wanted.find('<') == std::string::npos)
    text += fmt::format("; an instance of a template is named with its arguments: `{}<...>`", wanted);
  return text;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace

std::optional<std::string> demangled(const std::string& symbol) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed),
                                                    std::free);
  if (!symbol.starts_with("_Z") || failed != 0) return std::nullopt;
  return without_anonymous_namespaces(text.get());
}

std::string function_of_symbol(const std::string& symbol) {
  const std::optional<std::string> spelt = demangled(symbol);
  if (!spelt) return symbol;
  // The parameters of "void scale<32>(float*)" begin at the first parenthesis outside of <>, since a template argument
  // may be spelt "(Mode)1". Only an instance of a template has its return type before the name.
  const std::string& text = *spelt;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (depth == 0 && text[i] == ' ') begin = i + 1;
    if (depth == 0 && text[i] == '(') return text.substr(begin, i - begin);
  }
  return text;
}

Result<std::size_t> find_function(const std::string& wanted, const std::vector<std::string>& symbols) {
  std::vector<std::string> names;
  for (const std::string& symbol : symbols) names.push_back(function_of_symbol(symbol));
  const auto all_where = [&](const auto& fits) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (fits(i)) found.push_back(i);
    return found;
  };
  std::vector<std::size_t> found = all_where([&](std::size_t i) { return symbols[i] == wanted; });
  if (found.empty())
    found = all_where([&](std::size_t i) { return without_spaces(names[i]) == without_spaces(wanted); });
  const TemplateName parsed = template_name(wanted);
  for (const bool exact : {true, false})
    if (found.empty()) found = all_where([&](std::size_t i) { return fits(parsed, template_name(names[i]), exact); });
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in the program", wanted))
        .hint(advice(wanted, names));
  std::vector<std::string> fitting;
  for (const std::size_t i : found) fitting.push_back(symbols[i]);
  return Error(ErrorCode::mismatch, fmt::format("several kernels are called `{}`", wanted))
      .hint(fmt::format("name one by its symbol: {}", some_of(fitting)));
}

}  // namespace wattune::backend::cuda
