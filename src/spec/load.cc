#include <string>

#include "spec/files.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

bool is_folder(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_directory(file, ignored);
}

}  // namespace

Result<KernelSpec> load(const std::filesystem::path& file, SourcePolicy policy, const std::vector<NamedSize>& sizes) {
  const std::string extension = file.extension().string();
  if (extension != ".toml" && extension != ".json")
    return Error(ErrorCode::invalid_argument,
                 is_folder(file) ? "a spec is a .toml or .json file, not a folder" : "a spec is a .toml or .json file")
        .about(file.string())
        .hint(nearest_spec(file));
  WATTUNE_ASSIGN(const std::string text, read_text(file));
  return extension == ".toml" ? parse_toml(text, file, policy, sizes) : parse_t1(text, file, policy, sizes);
}

bool is_spec(const std::filesystem::path& file) {
  const bool is_toml = file.extension() == ".toml";
  const Result<std::string> text = read_text(file);
  if (!text) return is_toml;
  const std::size_t begin = text->find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string::npos && (*text)[begin] == '{';
  return is_json ? text->find("\"ConfigurationSpace\"") != std::string::npos : is_toml;
}

}  // namespace wattune::spec
