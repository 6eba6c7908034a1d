// Computes a short name for the inputs of an image: equal keys mean equal images.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// Returns a hash of target, source, macros and the user's headers as they are now. It covers all headers that are
// reachable through #include, even if a condition excludes the #include. The compiler's version stands for its own
// headers. nvcc's environment variables (options, folders of headers) count as options of the source. Returns nullopt
// if the included files cannot be known, because a name is a macro or an option names files.
std::optional<std::string> image_key(const CompileTarget& target, const KernelSource& of,
                                     std::span<const Macro> macros);

}  // namespace wattune::backend
