#include "backend/image_key.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "backend/cuda/source_text.h"
#include "backend/cuda/toolkit.h"
#include "backend/worker/protocol.h"
#include "wattune/core/hash.h"
#include "wattune/core/version.h"

namespace wattune::backend {

namespace {

namespace fs = std::filesystem;

// To be raised when Wattune hands compilers something else for the same source, or keeps more of what they answer.
constexpr int kFormat = 3;

// Follows #include from a text through the user's headers.
class Headers {
 public:
  explicit Headers(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  // Adds what `text`, a file in `folder`, includes. Returns false when that cannot be known.
  bool add(const std::string& text, const fs::path& folder) {
    static const std::regex directive(R"((^|\n|\*/)[ \t]*#[ \t]*(include|import|embed)([ \t]*["<]([^">\n]*)[">])?)");
    for (std::sregex_iterator match(text.begin(), text.end(), directive), end; match != end; ++match) {
      const bool plain = (*match)[2] == "include" && (*match)[3].matched;
      if (!plain || !add_header((*match)[4], folder)) return false;
    }
    return true;
  }

  // Names and contents of all, in the order of discovery.
  const std::string& contents() const { return contents_; }

 private:
  // Every file that the name may mean counts, so that one that is hidden today is noticed when it no longer is.
  bool add_header(const std::string& name, const fs::path& folder) {
    contents_ += "\n#include " + name + "\n";
    std::vector<fs::path> places = folders_;
    places.push_back(folder);
    return std::ranges::all_of(places, [&](const fs::path& place) { return add_file(place / name); });
  }

  bool add_file(const fs::path& file) {
    std::error_code failed;
    const fs::path real = fs::canonical(file, failed);
    if (failed || !fs::is_regular_file(real, failed) || !seen_.insert(real).second) return true;
    std::ifstream stream(real, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    contents_ += text;
    return stream.good() && add(text, file.parent_path());
  }

  const std::vector<fs::path> folders_;
  std::set<fs::path> seen_;
  std::string contents_;
};

// Options that make the compiler read files beside those that are included.
bool names_files(const std::string& option) {
  constexpr std::string_view kPrefixes[] = {"-include",       "--pre-include", "-isystem",      "--system-include",
                                            "--include-path", "-optf",         "--options-file"};
  if (option.starts_with("--include-path=")) return false;
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return option.starts_with(prefix); });
}

// With what nvcc takes from the environment among the options: its own, and the folders of the host's compiler.
KernelSource with_environment(KernelSource source) {
  if (source.compiler != Compiler::nvcc) return source;
  const auto add = [&](const char* name, const std::string& option, char separator) {
    const char* const value = std::getenv(name);
    std::istringstream parts(value != nullptr ? value : "");
    for (std::string part; std::getline(parts, part, separator);) source.options.push_back(option + part);
  };
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) add(name, "", ' ');
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) add(name, "-I", ':');
  add("NVCC_CCBIN", "-ccbin=", '\n');
  return source;
}

// The user's folders for headers.
std::vector<fs::path> folders_of(const KernelSource& source) {
  const std::vector<std::string> toolkit = cuda::toolkit_include_folders();
  std::vector<fs::path> folders;
  for (const std::string& option : cuda::options_with_folders(source))
    if (option.starts_with("-I") && std::ranges::count(toolkit, option.substr(2)) == 0)
      folders.emplace_back(option.substr(2));
  return folders;
}

}  // namespace

std::optional<std::string> image_key(const CompileTarget& target, const KernelSource& of,
                                     std::span<const Macro> macros) {
  const KernelSource source = with_environment(of);
  if (std::ranges::any_of(source.options, names_files)) return std::nullopt;
  Headers headers(folders_of(source));
  if (!headers.add(source.text, source.file.parent_path())) return std::nullopt;
  worker::Writer writer;
  writer.put(std::string(kVersion));
  writer.put(kFormat);
  writer.put(target);
  writer.put(source);
  writer.put(std::vector<Macro>(macros.begin(), macros.end()));
  writer.put(headers.contents());
  const auto bytes = writer.bytes();
  return content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace wattune::backend
