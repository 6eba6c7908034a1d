// What was measured of a configuration, as an entry of wisdom. A pure function.
#pragma once

#include "wattune/backend/device.h"
#include "wattune/core/trial.h"
#include "wattune/dynamic/wisdom_entry.h"

namespace wattune::dynamic {

// `tuned`: as in the entry. Precondition: the Trial has statistics.
WisdomEntry measured_entry(const KernelVersion& kernel, const DeviceInfo& device, const Key& key, const Trial& trial,
                           Measured measured, bool tuned);

}  // namespace wattune::dynamic
