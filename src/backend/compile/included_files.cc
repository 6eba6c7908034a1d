#include "backend/interface/included_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "backend/compile/opencl_options.h"
#include "backend/compile/preprocessor.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/toolkit.h"

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kInclude = "include";

// A directive that reads another file.
struct Directive {
  bool plain = false;               // true for #include "name" or #include <name>
  std::optional<std::string> name;  // nullopt if the name is a macro
};

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

// Tells whether a directive may follow this text, which must end with a line break or a comment.
bool ends_before_directive(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kBlanks);
  if (last == std::string_view::npos) return true;
  return text[last] == '\n' || text.substr(0, last + 1).ends_with("*/");
}

// Returns the directive in `text`, which follows a `#`; nullopt if it reads no file.
std::optional<Directive> directive_in(std::string_view text) {
  text = without_blanks(text);
  for (const std::string_view keyword : {kInclude, std::string_view("import"), std::string_view("embed")}) {
    if (!text.starts_with(keyword)) continue;
    const std::string_view behind = without_blanks(text.substr(keyword.size()));
    if (!behind.starts_with('"') && !behind.starts_with('<')) return Directive();
    const std::size_t end = behind.find_first_of("\">\n", 1);
    if (end == std::string_view::npos || behind[end] == '\n') return Directive();
    return Directive{keyword == kInclude, std::string(behind.substr(1, end - 1))};
  }
  return std::nullopt;
}

class Collector {
 public:
  explicit Collector(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  // Adds the files that `text`, a file in `folder`, includes.
  void add(std::string_view text, const fs::path& folder) {
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
      if (!ends_before_directive(text.substr(0, at))) continue;
      const std::optional<Directive> directive = directive_in(text.substr(at + 1));
      if (!directive) continue;
      if (!directive->plain) files_.complete = false;
      if (directive->name) add_header(*directive->name, folder);
    }
  }

  // Adds every file that the name may mean, so that the result also changes when another file of that name takes
  // precedence.
  void add_header(const std::string& name, const fs::path& folder) {
    files_.contents += "\n#include " + name + "\n";
    std::vector<fs::path> places = folders_;
    places.push_back(folder);
    for (const fs::path& place : places) add_file(place / name);
  }

  void note_others() { files_.complete = false; }
  IncludedFiles take() { return std::move(files_); }

 private:
  void add_file(const fs::path& file) {
    std::error_code failed;
    const fs::path real = fs::canonical(file, failed);
    if (failed || !fs::is_regular_file(real, failed) || !seen_.insert(real).second) return;
    std::ifstream stream(real, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    files_.contents += text;
    files_.files.push_back(file);
    if (!stream.good()) files_.complete = false;
    add(text, file.parent_path());
  }

  const std::vector<fs::path> folders_;
  std::set<fs::path> seen_;
  IncludedFiles files_;
};

// Tells whether an option makes the compiler read files that no #include names.
bool names_files(const std::string& option) {
  constexpr std::string_view kPrefixes[] = {"-include",       "--pre-include", "-isystem",      "--system-include",
                                            "--include-path", "-optf",         "--options-file"};
  if (option.starts_with("--include-path=")) return false;
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return option.starts_with(prefix); });
}

// Returns the file that an option names: after `=`, or as the next option.
std::optional<std::string> file_named_at(const std::vector<std::string>& options, std::size_t i) {
  const std::size_t assigned = options[i].find('=');
  if (assigned != std::string::npos) return options[i].substr(assigned + 1);
  return i + 1 < options.size() ? std::optional(options[i + 1]) : std::nullopt;
}

// Returns the text in quotes if it contains a blank, at which it might be split, and no quotes. Returns other texts
// unchanged.
std::string quoted_for_option(const std::string& text) {
  const bool is_plain = text.find(' ') == std::string::npos || text.find('"') != std::string::npos;
  return is_plain ? text : '"' + text + '"';
}

}  // namespace

std::vector<fs::path> header_folders(const KernelSource& source) {
  if (source.language == Language::opencl) return opencl_options(source).folders;
  const std::vector<std::string> toolkit = cuda::toolkit_include_folders();
  std::vector<fs::path> folders;
  for (const std::string& option : cuda::options_with_folders(source))
    if (option.starts_with("-I") && std::ranges::count(toolkit, option.substr(2)) == 0)
      folders.emplace_back(option.substr(2));
  return folders;
}

std::vector<std::string> options_with_absolute_folders(const KernelSource& source) {
  if (source.language != Language::opencl) return options_with_own_folder(source);
  const OpenclOptions read = opencl_options(source);
  std::vector<fs::path> folders = read.folders;
  if (!source.file.empty()) folders.push_back(source.file.parent_path());
  std::vector<std::string> options = read.others;
  for (const Macro& macro : read.macros) options.push_back("-D" + quoted_for_option(macro.name + "=" + macro.value));
  std::error_code failed;
  for (const fs::path& folder : folders)
    options.push_back("-I" + quoted_for_option(fs::absolute(folder, failed).string()));
  return options;
}

IncludedFiles included_files(const std::string& text, const fs::path& folder, const std::vector<fs::path>& folders) {
  Collector collector(folders);
  collector.add(text, folder);
  return collector.take();
}

IncludedFiles included_files(const KernelSource& source) {
  const fs::path folder = source.file.parent_path();
  Collector collector(header_folders(source));
  collector.add(source.text, folder);
  const std::vector<std::string> options = options_apart(source.options);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!names_files(options[i])) continue;
    collector.note_others();
    if (const auto file = file_named_at(options, i)) collector.add_header(*file, folder);
  }
  return collector.take();
}

}  // namespace wattune::backend
