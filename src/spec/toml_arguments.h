// Kernel arguments in TOML.
#pragma once

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

// One element of `arguments` in [kernel]. `files_required`: data files must exist.
Result<Argument> read_argument(const Document& document, const Node& node, bool files_required);

}  // namespace wattune::spec
