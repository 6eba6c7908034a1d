// Makes a spec whose arguments are those of one call.
#pragma once

#include <string>
#include <vector>

#include "wattune/dynamic/capture.h"

namespace wattune::inline v0_1::dynamic {

// Replaces all characters except letters, digits, '_' and '-', so that the name may be part of a file's name.
std::string plain_name(std::string name);

struct CapturedFile {
  std::string name;
  Bytes contents;
};

// Sets a scalar or struct to the value that a call passed. Fails with invalid_argument if the value has another size
// than the argument, or if a spec cannot express the value.
Result<void> capture_value(Argument& argument, Bytes value);

// Sets the arguments of `spec` to the values and files of the call, and the reference to the call's outputs, if there
// are any. Precondition: the sizes of `spec` are already those of the call. Returns the files.
Result<std::vector<CapturedFile>> capture_arguments(KernelSpec& spec, const CapturedCall& call, const std::string& name,
                                                    std::uint64_t most_bytes);

}  // namespace wattune::dynamic
