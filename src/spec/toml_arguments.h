// Reads kernel arguments from TOML.
#pragma once

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// Reads an element of `arguments` in [kernel]. Data files must exist if `files_required` is true.
Result<Argument> read_argument(const Document& document, const Node& node, bool files_required);

}  // namespace wattune::spec
