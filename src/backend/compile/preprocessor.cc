#include "backend/compile/preprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "backend/compile/opencl_options.h"

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

std::string folder_of(const KernelSource& source) {
  if (source.file.empty()) return {};
  std::error_code failed;
  return fs::absolute(source.file, failed).parent_path().string();
}

// An option with a value, with the spelling in which compilers get it.
struct ValuedOption {
  std::string_view name;
  std::string_view passed;
};

// The spellings of -I, -D and -isystem. If one spelling begins with another, the longer one comes first.
constexpr ValuedOption kValued[] = {{"--include-path=", "-I"},
                                    {"--include-path", "-I"},
                                    {"-isystem=", "-isystem"},
                                    {"-isystem", "-isystem"},
                                    {"--system-include=", "-isystem"},
                                    {"--system-include", "-isystem"},
                                    {"--define-macro=", "-D"},
                                    {"--define-macro", "-D"},
                                    {"-I=", "-I"},
                                    {"-I", "-I"},
                                    {"-D", "-D"}};

const ValuedOption* valued_option(const std::string& option) {
  const auto* const found =
      std::ranges::find_if(kValued, [&](const ValuedOption& each) { return option.starts_with(each.name); });
  return found == std::end(kValued) ? nullptr : found;
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
  const std::vector<std::string> given = options_apart(source.options);
  std::vector<std::string> options;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& option = given[i];
    const ValuedOption* const valued = valued_option(option);
    if (valued == nullptr) {
      options.push_back(option);
      continue;
    }
    const bool apart = option.size() == valued->name.size() && i + 1 < given.size();
    std::string value = without_quotes(apart ? given[++i] : option.substr(valued->name.size()));
    if (valued->passed != "-D") value = (fs::path(folder) / value).string();
    if (valued->passed != "-isystem") value.insert(0, valued->passed);
    if (valued->passed == "-isystem") options.emplace_back(valued->passed);
    options.push_back(std::move(value));
  }
  if (!folder.empty()) options.push_back("-I" + folder);
  return options;
}

}  // namespace wattune::backend
