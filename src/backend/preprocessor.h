// What compilers with C's preprocessor are told alike: names of files, definitions, folders of headers.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::backend {

// By which the lines behind it count from 1 as those of this file.
std::string line_directive(const std::string& file);

// A line break would end a definition.
std::string on_one_line(std::string text);

// The source's options, with folders of headers (-I) seen from its file's folder, which is the last of them.
std::vector<std::string> options_with_own_folder(const KernelSource& source);

}  // namespace wattune::backend
