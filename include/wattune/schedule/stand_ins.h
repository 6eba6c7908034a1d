// Stand-ins: partners of our own for kernels that are tuned to run beside others of a kind.
//
// Each asks for one thing alone: the pipelines (`compute`: four chains of multiply-adds), the bandwidth of the memory
// (`memory`: a copy), or its latency (`latency`: reads whose addresses are what the read before found). In CUDA and
// OpenCL; one configuration each. Pure functions.
//
//   WATTUNE_ASSIGN(const KernelSpec partner, schedule::stand_in("memory"));
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::schedule {

// "compute", "memory", "latency".
const std::vector<std::string>& stand_in_names();

// not_found, with the nearest name.
Result<KernelSpec> stand_in(const std::string& name);

}  // namespace wattune::schedule
