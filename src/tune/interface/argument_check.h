// Checks, without a device, that the spec gives a compiled function the arguments that it takes. Any thread may call
// the function.
//
//   WATTUNE_ASSIGN(const auto report, backend::compile_cuda(source, macros, "sm_90", limit));
//   WATTUNE_TRY(check_arguments(spec, configuration, source.function, report));
#pragma once

#include <string>

#include "backend/interface/compile.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::tune {

// Checks the arguments with which a launch of this configuration calls `function` of the spec; `compiled` is the result
// of compiling it. Fails with mismatch if number, sizes or declared types of the arguments disagree, or if a constant
// symbol is too small. Fails with not_found if a constant symbol is missing, otherwise with the errors of the launch
// plan.
Result<void> check_arguments(const KernelSpec& spec, const Configuration& configuration, const std::string& function,
                             const backend::CompileReport& compiled);

}  // namespace wattune::tune
