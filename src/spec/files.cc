#include "spec/files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/interface/suggest.h"
#include "core/interface/system_error.h"
#include "spec/text.h"

namespace wattune::inline v0_1::spec {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 26;

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Returns the sorted names of those files in the folder of `path` that `is_alike` accepts.
template <typename IsAlike>
std::vector<std::string> files_beside(const fs::path& path, const IsAlike& is_alike) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_alike(entry->path()) && is_file(entry->path())) names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Suggests the nearest name among the files in the folder that have the same extension or stem.
std::string nearest_file(const fs::path& path) {
  const auto is_alike = [&path](const fs::path& other) {
    return other.extension() == path.extension() || other.stem() == path.stem();
  };
  return suggest(path.filename().string(), files_beside(path, is_alike));
}

Error not_found(const fs::path& path) {
  return Error(ErrorCode::not_found, "no such file").about(path.string()).hint(nearest_file(path));
}

// Returns the reason why a path names no file. The text follows the key's name in a message.
std::string why_no_file(const fs::path& path) {
  std::error_code error;
  if (path.filename().empty()) return " names no file";
  if (fs::is_directory(path, error)) return " is a folder";
  return fs::exists(path, error) ? " is no regular file" : " does not exist";
}

}  // namespace

Result<std::string> read_text(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return system_error("cannot read", path, EISDIR);
  if (!is_file(path)) return not_found(path);
  if (fs::file_size(path, error) > kMaxBytes)
    return Error(ErrorCode::invalid_argument, "a spec holds at most 64 MiB").about(path.string());
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return system_error("cannot read", path, errno);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return std::string(without_byte_order_mark(text));
}

std::string nearest_spec(const fs::path& path) {
  const fs::path spec = fs::path(path).replace_extension(".toml");
  const auto is_spec = [](const fs::path& other) {
    return other.extension() == ".toml" || other.extension() == ".json";
  };
  const std::string nearest = suggest(spec.filename().string(), files_beside(path, is_spec));
  return nearest.empty() ? "`wattune init` writes one to start from" : nearest;
}

Result<fs::path> named_file(const Document& document, const Node& node, const std::string& what, bool required) {
  WATTUNE_ASSIGN(const std::string name, document.string(node, what));
  fs::path path = document.file().parent_path() / name;
  if (!required || is_file(path)) return path;
  return Error(ErrorCode::not_found, what + why_no_file(path))
      .at(document.position(node.content))
      .about(name)
      .hint(nearest_file(path));
}

std::optional<Language> parse_language(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower == "opencl") return Language::opencl;
  if (lower == "cuda") return Language::cuda;
  if (lower == "c++") return Language::cpp;
  if (lower == "c") return Language::c;
  return std::nullopt;
}

std::optional<Language> language_of(const fs::path& file) {
  if (file.extension() == ".C") return Language::cpp;
  const std::string extension = lower_case(file.extension().string());
  if (extension == ".cl" || extension == ".opencl" || extension == ".ocl") return Language::opencl;
  if (extension == ".cu" || extension == ".cuh" || extension == ".ptx" || extension == ".cubin") return Language::cuda;
  if (extension == ".cc" || extension == ".cpp" || extension == ".cxx") return Language::cpp;
  if (extension == ".c") return Language::c;
  return std::nullopt;
}

}  // namespace wattune::spec
