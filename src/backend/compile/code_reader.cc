// Reads a source as its preprocessor would, as far as the conditions can be decided. Leaves out text that they exclude.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "backend/compile/code_text.h"
#include "backend/compile/opencl_options.h"
#include "backend/compile/preprocessor.h"
#include "backend/cuda/source_text.h"
#include "backend/interface/included_files.h"

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestInclude = 32;
constexpr std::size_t kLongestCode = std::size_t{8} << 20;

// Joins each line that ends with a backslash with the next one.
std::string joined_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\\n", at)) != std::string::npos;) text.replace(at, 2, "  ");
  return text;
}

std::string_view trimmed_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// A directive split into its name and the rest: "#  define X 1" gives "define" and "X 1".
struct DirectiveLine {
  std::string name;
  std::string rest;
};
std::optional<DirectiveLine> directive_of(std::string_view line) {
  line = trimmed_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed_blanks(line.substr(1));
  std::size_t end = 0;
  while (end < line.size() && is_word(line[end])) ++end;
  return DirectiveLine{std::string(line.substr(0, end)), std::string(trimmed_blanks(line.substr(end)))};
}

// Returns the macros that the source's options define.
std::vector<Macro> macros_of_options(const KernelSource& source) {
  if (source.language == Language::opencl) return opencl_options(source).macros;
  std::vector<Macro> macros;
  for (const std::string& option : options_with_own_folder(source))
    if (option.starts_with("-D")) macros.push_back(macro_of(std::string_view(option).substr(2)));
  return macros;
}

class CodeReader {
 public:
  CodeReader(const KernelSource& source, std::span<const Macro> macros) : folders_(header_folders(source)) {
    for (const Macro& macro : macros)
      if (cuda::style_of(source, macro.name) == ParameterStyle::macros) code_.macros[macro.name] = macro.value;
    for (const Macro& macro : macros_of_options(source)) {
      const std::size_t bracket = macro.name.find('(');
      code_.macros[macro.name.substr(0, bracket)] =
          bracket == std::string::npos ? std::optional(macro.value) : std::nullopt;
    }
    for (const std::string& option : source.options)
      for (const std::string_view other : {" -U", " --undefine-macro", " -include", " --pre-include"})
        complete_ &= (" " + option).find(other) == std::string::npos;
    read(source.text, source.file.parent_path(), 0);
  }

  // Returns the code. A name with more than one value counts as unclear.
  PlainCode take() {
    for (const std::string& name : changed_) code_.macros[name] = std::nullopt;
    return std::move(code_);
  }

 private:
  // A part of a condition that is being read: whether its lines are compiled, and whether an earlier part of the same
  // condition was compiled.
  struct Branch {
    std::optional<bool> in;
    std::optional<bool> before;
  };

  // Tells whether the current line is compiled, by all conditions around it; nullopt if that cannot be decided.
  std::optional<bool> is_in() const {
    bool clear = true;
    for (const Branch& branch : branches_) {
      if (branch.in == false) return false;
      clear &= branch.in.has_value();
    }
    return clear ? std::optional(true) : std::nullopt;
  }

  void read(std::string_view text, const fs::path& folder, int depth) {
    const std::size_t outside = branches_.size();
    std::istringstream lines(joined_lines(without_comments(text)));
    std::istringstream originals(joined_lines(std::string(text)));  // the text with its quotes, as in #include "name"
    std::string original;
    for (std::string line; std::getline(lines, line);) {
      std::getline(originals, original);
      const std::optional<DirectiveLine> directive = directive_of(line);
      const std::optional<bool> in = is_in();
      if (directive) {
        obey(*directive, original, folder, depth);
      } else if (in == false) {
        code_.text += '\n';
      } else {
        code_.text += in ? line + "\n" : "#\n";
      }
      if (code_.text.size() > kLongestCode) return;
    }
    branches_.resize(std::min(branches_.size(), outside));
  }

  void obey(const DirectiveLine& directive, const std::string& original, const fs::path& folder, int depth) {
    const std::string& name = directive.name;
    if (name == "if") return enter(decide(directive.rest, code_.macros, complete_));
    if (name == "ifdef" || name == "ifndef") {
      const std::optional<bool> defined = is_defined(directive.rest, code_.macros, complete_);
      return enter(defined ? std::optional(*defined == (name == "ifdef")) : std::nullopt);
    }
    if (name == "elif" || name == "else")
      return change(name == "else" ? std::optional(true) : decide(directive.rest, code_.macros, complete_));
    if (name == "endif" && !branches_.empty()) branches_.pop_back();
    if (is_in() == false) return;
    if (name == "define") define(directive.rest);
    if (name == "undef") undefine(directive.rest);
    if (name == "include") include(original, folder, depth);
    if (name != "include") code_.text += '\n';
  }

  void enter(std::optional<bool> condition) {
    branches_.push_back({condition, condition});
    code_.text += is_in() == std::nullopt ? "#\n" : "\n";
  }

  // Begins the next part of a condition. It is compiled if its own condition holds and no part before it was compiled.
  void change(std::optional<bool> condition) {
    if (branches_.empty()) return;
    Branch& branch = branches_.back();
    if (branch.before == true || condition == false)
      branch.in = false;
    else if (branch.before == false && condition == true)
      branch.in = true;
    else
      branch.in = std::nullopt;
    if (branch.before != true && branch.in != false) branch.before = branch.in;
  }

  void define(const std::string& rest) {
    std::size_t end = 0;
    while (end < rest.size() && is_word(rest[end])) ++end;
    const std::string name = rest.substr(0, end);
    const bool function_like = end < rest.size() && rest[end] == '(';
    const bool clear = is_in() == true && !function_like;
    std::optional<std::string> value =
        clear ? std::optional(std::string(trimmed_blanks(std::string_view(rest).substr(end)))) : std::nullopt;
    const auto [at, is_new] = code_.macros.emplace(name, value);
    if (!is_new && at->second != value) changed_.insert(name);
    at->second = std::move(value);
  }

  void undefine(const std::string& name) {
    changed_.insert(name);
    if (is_in() == true)
      code_.macros.erase(name);
    else
      code_.macros[name] = std::nullopt;
  }

  // Reads a header of the user. The compiler's own headers are skipped, because users' conditions rarely depend on
  // them.
  void include(const std::string& original, const fs::path& folder, int depth) {
    const std::size_t begin = original.find_first_of("\"<");
    const std::size_t end = begin == std::string::npos ? begin : original.find_first_of("\">", begin + 1);
    if (end == std::string::npos || depth == kDeepestInclude) {
      complete_ = false;
      return;
    }
    const std::string name = original.substr(begin + 1, end - begin - 1);
    std::vector<fs::path> places = folders_;
    places.insert(places.begin(), folder);
    for (const fs::path& place : places) {
      std::error_code failed;
      const fs::path file = fs::canonical(place / name, failed);
      if (failed || !fs::is_regular_file(file, failed)) continue;
      if (!once_.insert(file).second && is_once_.contains(file)) return;
      std::ifstream stream(file, std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(stream), {}};
      if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // removes a byte order mark
      if (text.find("#pragma once") != std::string::npos) is_once_.insert(file);
      return read(text, file.parent_path(), depth + 1);
    }
    complete_ &= original[begin] == '<';
  }

  const std::vector<fs::path> folders_;
  PlainCode code_;
  std::vector<Branch> branches_;
  std::set<std::string> changed_;  // names that are defined more than once
  std::set<fs::path> once_;
  std::set<fs::path> is_once_;
  bool complete_ = true;  // true if every text that may define a name has been read
};

}  // namespace

PlainCode read_code(const KernelSource& source, std::span<const Macro> macros) {
  return CodeReader(source, macros).take();
}

PlainCode read_code(std::string_view text) {
  KernelSource source;
  source.text = text;
  return read_code(source, {});
}

}  // namespace wattune::backend
