#include "wattune/dynamic/capture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "backend/interface/included_files.h"
#include "core/interface/system_error.h"
#include "core/new_file.h"
#include "dynamic/calls/captured_arguments.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::dynamic {

namespace {

namespace fs = std::filesystem;

std::string name_of_files(const KernelSpec& spec, const CaptureOptions& options) {
  if (!options.name.empty()) return plain_name(options.name);
  return plain_name(spec.name.empty() ? spec.source.function : spec.name);
}

std::string extension_of(const KernelSource& source) {
  if (const std::string own = source.file.extension().string(); !own.empty()) return own;
  switch (source.language) {
    case Language::opencl: return ".cl";
    case Language::cuda: return ".cu";
    case Language::cpp: return ".cc";
    case Language::c: return ".c";
  }
  return ".txt";
}

Result<void> set_sizes(KernelSpec& spec, const std::vector<NamedSize>& sizes) {
  for (const NamedSize& size : sizes) {
    const auto known = std::ranges::find(spec.problem_size, size.name, &NamedSize::name);
    if (known == spec.problem_size.end())
      return Error(ErrorCode::not_found, "the kernel has no such size").about(size.name);
    known->value = size.value;
  }
  return {};
}

// A temporary folder beside the final one. In the end, it is renamed to the final name or removed.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& meant) : path_(fmt::format("{}.{}.tmp", meant.string(), ::getpid())) {}
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() { remove(path_); }

  const fs::path& path() const { return path_; }
  Result<void> make() const {
    std::error_code failed;
    if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failed);
    if (!failed) fs::create_directory(path_, failed);
    return failed ? system_error("cannot make", path_, failed.value()) : Result<void>();
  }
  Result<void> write(const std::string& name, std::string_view text) const {
    return write_new_file(path_ / name, text);
  }
  Result<void> rename_to(const fs::path& meant) const {
    std::error_code failed;
    const fs::path before = path_.string() + ".before";
    const bool replaces = fs::exists(meant, failed);
    if (replaces) fs::rename(meant, before, failed);
    if (!failed) fs::rename(path_, meant, failed);
    if (failed) return system_error("cannot write", meant, failed.value());
    if (replaces) remove(before);
    return {};
  }

 private:
  static void remove(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  fs::path path_;
};

// Checks that the folder may be written. Only a folder that looks like a capture is replaced, since another may hold
// valuable files.
Result<void> check_folder(const fs::path& folder, const std::string& name, bool replace) {
  std::error_code failed;
  if (!fs::exists(fs::symlink_status(folder, failed))) return {};
  if (replace && fs::exists(folder / (name + ".toml"), failed)) return {};
  return Error(ErrorCode::already_exists, fmt::format("{} exists", folder.string()))
      .hint(replace ? "it holds no capture of this name" : "choose another folder, or say that it is to be replaced");
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Writes all files and reads the spec back, so that a mistake is found during the capture and not later in a tuning
// run.
Result<void> write_files(const NewFolder& folder, const KernelSpec& spec, const std::vector<CapturedFile>& files,
                         const std::string& name) {
  WATTUNE_ASSIGN(const std::string text, spec::write_toml(spec));
  WATTUNE_TRY(folder.make());
  WATTUNE_TRY(folder.write(spec.source.file.string(), spec.source.text));
  for (const CapturedFile& file : files) WATTUNE_TRY(folder.write(file.name, text_of(file.contents)));
  WATTUNE_TRY(folder.write(name + ".toml", text));
  Result<KernelSpec> read = spec::load(folder.path() / (name + ".toml"));
  return read ? Result<void>() : std::move(read).error().with_context("the call cannot be captured");
}

}  // namespace

Result<fs::path> capture(const KernelSpec& spec, const CapturedCall& call, const fs::path& folder,
                         const CaptureOptions& options) {
  const std::string name = name_of_files(spec, options);
  WATTUNE_TRY(check_folder(folder, name, options.replace));
  KernelSpec captured = spec;
  captured.name = name;
  captured.alternatives.clear();
  WATTUNE_TRY(set_sizes(captured, call.sizes));
  WATTUNE_ASSIGN(const std::vector<CapturedFile> files, capture_arguments(captured, call, name, options.most_bytes));
  captured.source.options = backend::options_with_absolute_folders(spec.source);
  captured.source.file = name + extension_of(spec.source);
  const NewFolder made(folder.has_filename() ? folder : folder.parent_path());
  WATTUNE_TRY(write_files(made, captured, files, name));
  WATTUNE_TRY(made.rename_to(folder));
  return folder / (name + ".toml");
}

}  // namespace wattune::dynamic
