// Reads kernel arguments and reference data of T1.
#pragma once

#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// Reads `Arguments` and `ReferenceArguments` of KernelSpecification into a spec whose parameters are known. Fails for
// fills that are a Python script (KTT's Script), an HDF5 file or a symbol, and for missing data files if they are
// required.
Result<void> read_t1_arguments(const Table& kernel, bool files_required, KernelSpec& spec);

}  // namespace wattune::spec
