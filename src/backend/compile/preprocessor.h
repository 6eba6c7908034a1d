// Prepares input that all compilers with C's preprocessor take in the same form: names of files, definitions, folders
// of headers.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::backend {

// Returns a #line directive with which the lines that follow count from 1 as lines of this file.
std::string line_directive(const std::string& file);

// Returns the text on one line, because a line break would end a definition.
std::string on_one_line(std::string text);

// Returns the source's options as a list, even if one text holds several options. Folders of headers (-I, -isystem) are
// resolved from the folder of the source's file, and that folder is appended as the last one. A -I or -D and its value
// are one option, and
// -isystem and its folder two.
std::vector<std::string> options_with_own_folder(const KernelSource& source);

}  // namespace wattune::backend
