// What an image is made of, as one short name: equal keys mean equal images.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::backend {

// A hash of target, source, macros, and the user's headers as they are now: those that are reachable through #include,
// whether or not the preprocessor would come there. Headers of the compiler's own are known by the compiler's version.
// For nvcc what it takes from the environment (options, folders of headers) counts as options of the source. None when
// what is included cannot be known: its name is a macro, or an option names files.
std::optional<std::string> image_key(const CompileTarget& target, const KernelSource& of,
                                     std::span<const Macro> macros);

}  // namespace wattune::backend
