#include "backend/compile/opencl_options.h"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanksOfOptions = " \t\n";

// Returns the text without backslashes before quotes, which a shell needs in `-DNAME=\"a b\"`.
std::string without_shell_quotes(std::string text) {
  constexpr std::string_view kQuote = "\\\"";
  if (text.find("=\\\"") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find(kQuote, at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

bool begins_option(std::string_view text) {
  const std::size_t hyphen = text.find_first_not_of(kBlanksOfOptions);
  return hyphen != std::string_view::npos && hyphen + 1 < text.size() && text[hyphen] == '-' &&
         std::isalpha(static_cast<unsigned char>(text[hyphen + 1])) != 0;
}

// Splits the text at the blanks that precede options.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && (at == 0 || text[at - 1] != '\\')) quoted = !quoted;
    if (!quoted && c == '(') ++depth;
    if (!quoted && c == ')') --depth;
    if (!quoted && depth == 0 && kBlanksOfOptions.find(c) != std::string_view::npos &&
        begins_option(std::string_view(text).substr(at)))
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) {
    part.erase(0, part.find_first_not_of(kBlanksOfOptions));
    part.erase(part.find_last_not_of(kBlanksOfOptions) + 1);
  }
  std::erase(parts, std::string());
  return parts;
}

// Returns the folder to which a relative name refers.
fs::path folder_from(const KernelSource& source, const fs::path& named) {
  std::error_code failed;
  if (named.is_absolute() || source.file.empty() || fs::is_directory(named, failed)) return named;
  fs::path beside = source.file.parent_path() / named;
  return fs::is_directory(beside, failed) ? beside : named;
}

}  // namespace

std::string without_quotes(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanksOfOptions), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanksOfOptions) + 1);
  const bool in_quotes = text.size() > 1 && text.front() == '"' && text.find('"', 1) == text.size() - 1;
  return std::string(in_quotes ? text.substr(1, text.size() - 2) : text);
}

std::vector<std::string> options_apart(const std::vector<std::string>& texts) {
  std::vector<std::string> options;
  for (const std::string& text : texts)
    for (std::string& part : parts_of(text)) options.push_back(std::move(part));
  return options;
}

Macro macro_of(std::string_view definition) {
  const std::size_t sign = definition.find('=');
  if (sign == std::string_view::npos) return {std::string(definition), "1"};
  return {std::string(definition.substr(0, sign)), std::string(definition.substr(sign + 1))};
}

OpenclOptions opencl_options(const KernelSource& source) {
  std::vector<std::string> parts;
  for (const std::string& option : source.options)
    for (std::string& part : parts_of(without_shell_quotes(option))) parts.push_back(std::move(part));
  OpenclOptions options;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string kind = parts[i].substr(0, 2);
    if (kind != "-I" && kind != "-D") {
      options.others.push_back(parts[i]);
      continue;
    }
    const bool apart = parts[i].size() == 2 && i + 1 < parts.size();
    const std::string value = without_quotes(apart ? parts[++i] : parts[i].substr(2));
    if (value.empty()) continue;
    if (kind == "-I")
      options.folders.push_back(folder_from(source, value));
    else
      options.macros.push_back(macro_of(value));
  }
  return options;
}

}  // namespace wattune::backend
