// Does the spec give a kernel the arguments that it takes?
#pragma once

#include "tune/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::tune {

// mismatch where `kernel` and the arguments that the spec has the step give it disagree: in number, in size, or in what
// the kernel is known to declare (a buffer, local memory, or a value, of which type). What it reads may be called
// another name of the same: unsigned for signed, bytes, a type of the user's.
Result<void> check_arguments(const backend::Kernel& kernel, const KernelSpec& spec, const Launch& launch,
                             const PlannedStep& step);

}  // namespace wattune::tune
