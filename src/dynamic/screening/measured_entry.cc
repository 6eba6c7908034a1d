#include "dynamic/screening/measured_entry.h"

#include "wattune/core/version.h"

namespace wattune::inline v0_1::dynamic {

WisdomEntry measured_entry(const KernelVersion& kernel, const DeviceInfo& device, const Key& key, const Trial& trial,
                           Measured measured, bool tuned) {
  const Statistics& statistics = *trial.observation.statistics;
  return {.kernel = kernel,
          .device = device.name,
          .architecture = device.architecture,
          .key = key,
          .configuration = trial.configuration,
          .time = statistics.median,
          .low = statistics.interval_low,
          .high = statistics.interval_high,
          .samples = trial.observation.samples.size(),
          .measured = measured,
          .tuned = tuned,
          .measured_at = std::chrono::system_clock::now(),
          .wattune_version = kVersion};
}

}  // namespace wattune::dynamic
