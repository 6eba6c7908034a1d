// Stand-ins: built-in kernels that take the place of unknown partners. A kernel that will run beside an unknown partner
// is tuned beside the stand-in that uses the same resource.
//
// Each uses one resource only: the pipelines (`compute`: four chains of multiply-adds), the bandwidth of the memory
// (`memory`: a copy), or its latency (`latency`: each read gives the address of the next). They are in CUDA and OpenCL,
// with one configuration each. Pure functions.
//
//   WATTUNE_ASSIGN(const KernelSpec partner, company::stand_in("memory"));
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::company {

// Returns the names of all stand-ins: "compute", "memory" and "latency".
const std::vector<std::string>& stand_in_names();

// Returns the spec of a stand-in. Fails with not_found, with the nearest name.
Result<KernelSpec> stand_in(const std::string& name);

}  // namespace wattune::company
