// Reads the launches of a run, which follow one after another. They are given by [launch], a table or a list of tables,
// which may hold groups of launches.
#pragma once

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// Reads [launch] into `geometry` and `steps` of the spec, whose arguments and parameters are known. Fails with
// invalid_argument or not_found.
Result<void> read_launch(const Document& document, const Node& node, KernelSpec& spec);

}  // namespace wattune::spec
