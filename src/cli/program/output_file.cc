#include "cli/program/output_file.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "wattune/store/journal.h"

namespace wattune::cli {

namespace fs = std::filesystem;

namespace {

// True if the file begins like a line of JSON, as result files do and few other files do. A device or pipe counts as
// results.
bool may_hold_results(const fs::path& file) {
  constexpr std::string_view kBeginning = "{\"";
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return true;
  std::string beginning(kBeginning.size(), ' ');
  std::ifstream stream(file, std::ios::binary);
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning == kBeginning;
}

// True if other programs read a file of this name as a table or a picture.
bool is_table_or_picture(const fs::path& file) {
  constexpr std::string_view kEndings[] = {".csv", ".tsv", ".xlsx", ".html", ".svg", ".png", ".pdf"};
  return std::ranges::count(kEndings, file.extension().string()) > 0;
}

}  // namespace

Result<void> check_new_file(const std::string& file, bool overwrite) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return Error(ErrorCode::invalid_argument, "this is a folder").about(file).hint("name a file");
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return Error(ErrorCode::not_found, "there is no folder for this file").about(file).hint("make it first");
  if (overwrite || !fs::is_regular_file(file, ignored)) return {};
  return Error(ErrorCode::already_exists, "the file exists").about(file).hint("--overwrite replaces it");
}

bool has_contents(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && (!fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > 0);
}

Result<void> check_results_file(const fs::path& file, const ResultsUse& use) {
  if (use.resume && use.overwrite)
    return Error(ErrorCode::invalid_argument, "--overwrite and --resume exclude each other");
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return Error(ErrorCode::invalid_argument, "results cannot be written into a folder")
        .about(file.string())
        .hint("--output names a file");
  if (is_table_or_picture(file) && !has_contents(file))
    return Error(ErrorCode::invalid_argument, "results are lines of JSON, not a table or a picture")
        .about(file.string())
        .hint("--output NAME.jsonl");
  if (use.resume || !has_contents(file)) return {};
  if (!may_hold_results(file))
    return Error(ErrorCode::already_exists, "the file exists, and holds no results")
        .about(file.string())
        .hint("--output names another file");
  if (use.overwrite) return {};
  return Error(ErrorCode::already_exists, "results exist")
      .about(file.string())
      .hint("--resume continues them, --overwrite starts anew, --output names another file");
}

// Renames the existing file, so that results can be written under its name. A device such as /dev/null is not renamed,
// because it has no contents to lose.
Result<void> make_room(const fs::path& file, const ResultsUse& use) {
  std::error_code ignored;
  return use.overwrite && fs::is_regular_file(file, ignored) && has_contents(file) ? store::set_aside(file)
                                                                                   : Result<void>();
}

}  // namespace wattune::cli
