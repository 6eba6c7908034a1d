// Checks that the spec gives a kernel the arguments that it takes.
#pragma once

#include "tune/interface/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::tune {

// Checks the arguments that the step, by the spec, gives to `kernel`. Fails with mismatch if they disagree in number,
// in size, or with the kernel's known declaration (buffer, local memory or value, and the type). Related types pass:
// unsigned for signed, bytes, a type that the user defined.
Result<void> check_arguments(const backend::Kernel& kernel, const KernelSpec& spec, const Launch& launch,
                             const PlannedStep& step);

}  // namespace wattune::tune
