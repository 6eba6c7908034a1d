// Checking, without a device, that the spec gives a compiled function the arguments that it takes. Any thread may call.
//
//   WATTUNE_ASSIGN(const auto report, backend::compile_cuda(source, macros, "sm_90", limit));
//   WATTUNE_TRY(check_arguments(spec, configuration, source.function, report));
#pragma once

#include <string>

#include "wattune/backend/compile.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::tune {

// mismatch where `function` of the spec, which became `compiled`, and what a launch of this configuration gives it
// disagree: in number, in size, or in what the function is known to declare, and where a constant symbol is too small;
// not_found where there is none. Errors of the launch plan.
Result<void> check_arguments(const KernelSpec& spec, const Configuration& configuration, const std::string& function,
                             const backend::CompileReport& compiled);

}  // namespace wattune::tune
