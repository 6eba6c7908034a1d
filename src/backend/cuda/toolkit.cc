#include "backend/cuda/toolkit.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "backend/interface/compile.h"

namespace wattune::inline v0_1::backend {

namespace fs = std::filesystem;

namespace cuda {

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const folder = std::getenv(variable); folder != nullptr && *folder != '\0')
      folders.emplace_back(folder);
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

std::vector<std::string> library_candidates(std::span<const char* const> names) {
  std::vector<std::string> files(names.begin(), names.end());
  for (const std::string& toolkit : toolkit_folders())
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"})
      for (const char* name : names) files.push_back(toolkit + "/" + folder + "/" + name);
  return files;
}

std::vector<std::string> toolkit_include_folders() {
  std::error_code failed;
  for (const std::string& toolkit : toolkit_folders()) {
    const std::string folder = toolkit + "/include";
    if (!fs::exists(fs::path(folder) / "cuda_fp16.h", failed)) continue;
    // CUB, Thrust and libcu++ lie in this folder since CUDA 13.
    const std::string cccl = folder + "/cccl";
    return fs::is_directory(cccl, failed) ? std::vector{folder, cccl} : std::vector{folder};
  }
  return {};
}

}  // namespace cuda

std::optional<fs::path> find_toolkit_program(const std::string& name) {
  std::vector<fs::path> files;
  for (const std::string& toolkit : cuda::toolkit_folders()) files.push_back(fs::path(toolkit) / "bin" / name);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) files.push_back(fs::path(folder) / name);
  std::error_code failed;
  for (const fs::path& file : files)
    if (fs::is_regular_file(file, failed)) return file;
  return std::nullopt;
}

}  // namespace wattune::backend
