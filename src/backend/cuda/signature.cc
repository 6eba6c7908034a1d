#include "backend/cuda/signature.h"

#include <algorithm>
#include <array>

#include "backend/compile/code_text.h"
#include "backend/cuda/function_name.h"
#include "backend/interface/c_type.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

using Parameters = std::vector<KernelParameter>;

bool is_qualifier(const std::string& word) {
  static constexpr std::array<std::string_view, 8> kQualifiers{
      "const", "volatile", "restrict", "__restrict", "__restrict__", "register", "struct", "__grid_constant__"};
  return std::ranges::count(kQualifiers, word) > 0;
}

bool is_keyword(const std::string& word) {
  static constexpr std::array<std::string_view, 9> kKeywords{"char",     "short", "int",    "long", "signed",
                                                             "unsigned", "float", "double", "bool"};
  return std::ranges::count(kKeywords, word) > 0;
}

// Returns the address space for which an OpenCL C word stands; nullopt for any other word.
std::optional<AddressSpace> space_of(std::string_view word) {
  if (word.starts_with("__")) word.remove_prefix(2);
  if (word == "global") return AddressSpace::global;
  if (word == "constant") return AddressSpace::constant;
  if (word == "local") return AddressSpace::local;
  return std::nullopt;
}

// Removes the words that name an address space and returns that address space.
std::optional<AddressSpace> take_space(std::vector<std::string>& words) {
  std::optional<AddressSpace> space;
  for (const std::string& word : words) space = space_of(word) ? space_of(word) : space;
  std::erase_if(words, [](const std::string& word) { return space_of(word).has_value(); });
  return space;
}

// Parses a parameter: "const float *__restrict__ x" gives the type float* and the name x. A parameter from a symbol has
// no name.
KernelParameter parameter_from(const std::string& written, bool may_have_name, const PlainCode& code,
                               Language language) {
  const std::optional<std::string> meant = expanded(written, code.macros);
  if (!meant) return {};
  const std::string& text = *meant;
  std::vector<std::string> words = words_of(text.substr(0, text.find('[')));
  if (text.find_first_of("(<:&=") != std::string::npos) return {};
  std::erase_if(words, is_qualifier);
  const std::optional<AddressSpace> space = language == Language::opencl ? take_space(words) : std::nullopt;
  std::string name;
  if (may_have_name && words.size() > 1 && !is_keyword(words.back())) {
    name = words.back();
    words.pop_back();
  }
  std::string type;
  for (const std::string& word : words) type += (type.empty() ? "" : " ") + word;
  type.append(static_cast<std::size_t>(std::ranges::count(text, '*') + std::ranges::count(text, '[')), '*');
  KernelParameter parameter = parameter_of(std::move(name), without_typedefs(code, type), language);
  parameter.type = std::move(type);
  if (space) parameter.space = space;
  return parameter;
}

// Returns the position of the parenthesis that closes the one at `open`; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// Splits a list at the commas that are outside of all brackets.
std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  const std::vector<std::string> only = words_of(parts.front());
  const bool none =
      only.empty() || (only == std::vector<std::string>{"void"} && parts.front().find('*') == std::string::npos);
  return parts.size() == 1 && none ? std::vector<std::string>() : parts;
}

Parameters parameters_from(std::string_view list, bool may_have_names, const PlainCode& code, Language language) {
  Parameters parameters;
  for (const std::string& text : split_list(list))
    parameters.push_back(parameter_from(text, may_have_names, code, language));
  return parameters;
}

// Returns the parameter list of the function that is declared from `at` on, if the function has this name. Parentheses
// of attributes are skipped.
std::optional<std::string_view> list_of(std::string_view code, std::size_t at, const std::string& function) {
  for (;;) {
    const std::size_t open = code.find_first_of("(;{", at);
    const std::size_t close = closing(code, open);
    if (close == std::string_view::npos || code[open] != '(') return std::nullopt;
    const std::vector<std::string> words = words_of(code.substr(at, open - at));
    if (words.empty() || !words.back().starts_with("__"))
      return !words.empty() && words.back() == function ? std::optional(code.substr(open + 1, close - open - 1))
                                                        : std::nullopt;
    at = close + 1;
  }
}

bool same_types(const Parameters& one, const Parameters& other) {
  return std::ranges::equal(one, other, {}, &KernelParameter::type, &KernelParameter::type);
}

}  // namespace

std::optional<Parameters> parameters_of_symbol(const std::string& symbol) {
  const std::optional<std::string> text = demangled(symbol);
  if (!text) return std::nullopt;
  const std::string function = function_of_symbol(symbol);
  const std::size_t open = text->find(function + "(");
  if (open == std::string::npos) return std::nullopt;
  const std::size_t begin = open + function.size() + 1;
  const std::size_t end = closing(*text, begin - 1);
  return parameters_from(std::string_view(*text).substr(begin, end - begin), false, {}, Language::cuda);
}

std::optional<Parameters> declared_parameters(const PlainCode& code, const std::string& function, Language language) {
  // The words `kernel` and `__global__` are found with further underscores, too, as in "__kernel".
  const std::string_view mark = language == Language::opencl ? "kernel" : "__global__";
  std::optional<Parameters> found;
  for (std::size_t at = 0; (at = code.text.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    const std::optional<std::string_view> list = list_of(code.text, at, function);
    if (!list) continue;
    const std::string meant = expanded(*list, code.macros).value_or(std::string(*list));
    Parameters parameters = parameters_from(meant, true, code, language);
    if (list->find('#') != std::string_view::npos || (found && !same_types(*found, parameters))) return std::nullopt;
    found = std::move(parameters);
  }
  return found;
}

Parameters parameters_of(const std::string& symbol, const std::map<std::string, Parameters>& declared) {
  if (auto parameters = parameters_of_symbol(symbol)) return *std::move(parameters);
  const auto found = declared.find(symbol);
  return found == declared.end() ? Parameters() : found->second;
}

Parameters with_sizes(Parameters parameters, std::span<const std::size_t> sizes) {
  bool right = parameters.size() == sizes.size();
  for (std::size_t i = 0; right && i < sizes.size(); ++i) {
    if (parameters[i].space == AddressSpace::global) right = sizes[i] == sizeof(void*);
    if (parameters[i].bytes) right = sizes[i] == *parameters[i].bytes;
  }
  if (!right) parameters = Parameters(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) parameters[i].bytes = sizes[i];
  return parameters;
}

}  // namespace wattune::backend::cuda
