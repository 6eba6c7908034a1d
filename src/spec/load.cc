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

}  // namespace wattune::spec
