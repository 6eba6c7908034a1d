#include "backend/compile/preprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

std::string folder_of(const KernelSource& source) {
  if (source.file.empty()) return {};
  std::error_code failed;
  return fs::absolute(source.file, failed).parent_path().string();
}

// Returns the folder of headers that an option names; "" for a bare -I, whose folder is the next option.
std::optional<std::string> header_folder(const std::string& option) {
  for (const std::string_view prefix : {"--include-path=", "-I=", "-I"}) {
    if (!option.starts_with(prefix)) continue;
    const std::size_t begin = option.find_first_not_of(' ', prefix.size());
    return begin == std::string::npos ? std::string() : option.substr(begin);
  }
  return std::nullopt;
}

}  // namespace

std::string line_directive(const std::string& file) {
  std::string quoted;
  for (const char c : file) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format("#line 1 \"{}\"\n", quoted);
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::string> options_with_own_folder(const KernelSource& source) {
  const std::string folder = folder_of(source);
  std::vector<std::string> options;
  for (std::size_t i = 0; i < source.options.size(); ++i) {
    std::optional<std::string> named = header_folder(source.options[i]);
    if (named && named->empty() && i + 1 < source.options.size()) named = source.options[++i];
    options.push_back(named ? "-I" + (fs::path(folder) / *named).string() : source.options[i]);
  }
  if (!folder.empty()) options.push_back("-I" + folder);
  return options;
}

}  // namespace wattune::backend
