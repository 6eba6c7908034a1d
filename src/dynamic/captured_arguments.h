// A spec whose arguments are those of one call.
#pragma once

#include <string>
#include <vector>

#include "wattune/dynamic/capture.h"

namespace wattune::dynamic {

// The same text as part of a file's name.
std::string plain_name(std::string name);

struct CapturedFile {
  std::string name;
  Bytes contents;
};

// Gives a scalar or struct the value that a call passed. invalid_argument: another size, or what a spec cannot say.
Result<void> capture_value(Argument& argument, Bytes value);

// Gives the arguments of `spec`, of which the sizes are those of the call already, values and files of the call, and a
// reference where there are outputs; returns the files.
Result<std::vector<CapturedFile>> capture_arguments(KernelSpec& spec, const CapturedCall& call, const std::string& name,
                                                    std::uint64_t most_bytes);

}  // namespace wattune::dynamic
