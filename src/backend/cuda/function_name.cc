#include "backend/cuda/function_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

std::string without_template_arguments(const std::string& function) { return function.substr(0, function.find('<')); }

// Removes anonymous namespaces, because users name such kernels without them.
std::string without_anonymous_namespaces(std::string text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = text.find(kAnonymous)) != std::string::npos;) text.erase(at, kAnonymous.size());
  return text;
}

// Returns similar names, or else the names that exist and a reason why a template may be missing.
std::string advice(const std::string& wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kMaxListed = 30;
  if (names.empty()) return "it has no kernels";
  std::string text = suggest(wanted, names);
  if (text.empty())
    text = fmt::format("one of: {}{}", fmt::join(std::span(names).first(std::min(names.size(), kMaxListed)), ", "),
                       names.size() > kMaxListed ? ", ..." : "");
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
  // may be spelt "(Mode)1"; a return type stands before a template only.
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
  if (found.empty())
    found = all_where(
        [&](std::size_t i) { return without_template_arguments(names[i]) == without_template_arguments(wanted); });
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in the program", wanted))
        .hint(advice(wanted, names));
  return Error(ErrorCode::mismatch, fmt::format("several kernels are called `{}`", wanted))
      .hint(fmt::format("name one by its symbol: {}", fmt::join(symbols, ", ")));
}

}  // namespace wattune::backend::cuda
