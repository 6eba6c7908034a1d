// The user's files that a source includes, for all who must know when one of them was edited.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::backend {

struct IncludedFiles {
  std::string contents;  // names and contents of all, in the order of discovery
  bool complete = true;  // false: there are others, whose names are macros or stand in options, or that cannot be read
};

// The user's folders for headers, as the options name them.
std::vector<std::filesystem::path> header_folders(const KernelSource& source);
// Options as drivers split them, at spaces.
std::vector<std::string> split_options(const std::vector<std::string>& options);

// Follows #include, whether or not the preprocessor would come there, from a text in `folder` through that folder and
// `folders`. Headers of the compiler's own are not among them.
IncludedFiles included_files(const std::string& text, const std::filesystem::path& folder,
                             const std::vector<std::filesystem::path>& folders);

// Those of a kernel's source, with the folders and files that its options name.
IncludedFiles included_files(const KernelSource& source);

}  // namespace wattune::backend
