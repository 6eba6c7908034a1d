// Finds the user's files that a source includes, for callers that must notice when one of them is edited.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::backend {

// The files that were found, as one text.
struct IncludedFiles {
  std::string contents;                      // names and contents of all files, in the order of discovery
  std::vector<std::filesystem::path> files;  // paths of these files, as they were found
  // False if some files are missing: their names are macros or stand in options, or the files are unreadable.
  bool complete = true;
};

// Returns the user's folders for headers, as the options name them.
std::vector<std::filesystem::path> header_folders(const KernelSource& source);

// Returns the options with absolute folders of headers, to which the source's own folder is added. So the options mean
// the same if the source moves. In the result for OpenCL, each folder and each definition is an option of its own,
// behind all other options.
std::vector<std::string> options_with_absolute_folders(const KernelSource& source);

// Follows the #include lines of a text in `folder`, even those that a condition excludes. Looks in that folder and in
// `folders`. The compiler's own headers are left out.
IncludedFiles included_files(const std::string& text, const std::filesystem::path& folder,
                             const std::vector<std::filesystem::path>& folders);

// Follows the #include lines of a kernel's source, with the folders and files that its options name.
IncludedFiles included_files(const KernelSource& source);

}  // namespace wattune::backend
