// Splits the options of an OpenCL source. OpenCL takes them as one string, which drivers split at blanks, each with its
// own rules for quotes. Folders and definitions are therefore found here, and reach the driver in another way.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

struct OpenclOptions {
  std::vector<std::filesystem::path> folders;  // of the options -I, in their order
  std::vector<Macro> macros;                   // of -D; names include the parameters of function-like macros
  std::vector<std::string> others;
};

// Splits texts that hold several options, such as "-O3 -lineinfo", at the blanks that precede options. A blank that is
// within quotes or brackets, or not before a hyphen, does not split.
std::vector<std::string> options_apart(const std::vector<std::string>& texts);

// Reads the options. One text may hold several, "-cl-mad-enable -D A=1", and a blank within quotes, within brackets or
// not before a hyphen is part of the value: "-Imy folder". Quotes around a folder or a whole definition are dropped;
// those of a value stay. A relative folder counts from the current folder of the process, or else from the file's.
OpenclOptions opencl_options(const KernelSource& source);

// Returns the macro of a definition such as "A=1"; "A" alone has the value 1, as with compilers.
Macro macro_of(std::string_view definition);

// Returns the text without blanks at its ends, and without quotes around it.
std::string without_quotes(std::string_view text);

}  // namespace wattune::backend
