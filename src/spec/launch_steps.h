// What a run launches, one after another: [launch], once or as a list, and groups of launches in it.
#pragma once

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

// [launch] into `geometry` and `steps` of the spec, whose arguments and parameters are known. invalid_argument,
// not_found.
Result<void> read_launch(const Document& document, const Node& node, KernelSpec& spec);

}  // namespace wattune::spec
