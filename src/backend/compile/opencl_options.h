// Splits the options of an OpenCL source. OpenCL takes the options as one string. Drivers split it at blanks, and each
// driver has its own rules for quotes. Folders and definitions are therefore found here, and reach the driver in
// another way.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

struct OpenclOptions {
  std::vector<std::filesystem::path> folders;  // folders of the options -I, in their order
  std::vector<Macro> macros;                   // options -D; a function-like macro's name includes its parameters
  std::vector<std::string> others;
};

// Splits texts that hold several options, such as "-O3 -lineinfo", at the blanks that precede options. Does not split
// at a blank within quotes or brackets, or at one that no hyphen follows.
std::vector<std::string> options_apart(const std::vector<std::string>& texts);

// Reads the options. One text may hold several options: "-cl-mad-enable -D A=1". A blank within quotes or brackets, or
// one that no hyphen follows, is part of the value: "-Imy folder". Quotes around a folder or a whole definition are
// dropped, but quotes of a value stay. A relative folder is looked for from the current folder of the process, and
// otherwise from the file's folder.
OpenclOptions opencl_options(const KernelSource& source);

// Returns the macro of a definition such as "A=1"; "A" alone has the value 1, as with compilers.
Macro macro_of(std::string_view definition);

// Returns the text without blanks at its ends, and without quotes around it.
std::string without_quotes(std::string_view text);

}  // namespace wattune::backend
