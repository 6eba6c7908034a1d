// Makes an entry of wisdom from the measurement of a configuration. The function is pure.
#pragma once

#include "wattune/backend/device.h"
#include "wattune/core/trial.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

// Returns the entry. `measured` and `tuned` become members of the entry. Precondition: the Trial has statistics.
WisdomEntry measured_entry(const KernelVersion& kernel, const DeviceInfo& device, const Key& key, const Trial& trial,
                           Measured measured, bool tuned);

}  // namespace wattune::dynamic
