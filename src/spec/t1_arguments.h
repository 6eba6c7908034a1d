// Kernel arguments and reference data in T1.
#pragma once

#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

// `Arguments` and `ReferenceArguments` of KernelSpecification, into a spec whose parameters are known. What only
// KTT's Python can fill (Script), HDF5 files and symbols are refused.
Result<void> read_t1_arguments(const Table& kernel, KernelSpec& spec);

}  // namespace wattune::spec
