// BoardMetric: what the sensors of a device's board tell beside the time.
//
// Values. Who opens a recorder owns it; the sensors behind it are its own.
//
//   options.observe = {BoardMetric::power, BoardMetric::energy};
//   options.open_recorder = [](const DeviceInfo& device) { return open_my_meter(device); };
#pragma once

#include <functional>
#include <memory>

#include "wattune/core/device_info.h"
#include "wattune/core/result.h"
#include "wattune/power/recorder.h"

namespace wattune::tune {

// What the board's sensors tell, in runs of its own behind the samples: these take a second or two for each
// configuration. Watts while the kernel runs, joules of one run, the same beyond what the board draws with a context
// and nothing to do, degrees and volts at the end.
enum class BoardMetric { power, energy, dynamic_energy, temperature, voltage };
inline constexpr BoardMetric kAllBoardMetrics[] = {BoardMetric::power, BoardMetric::energy, BoardMetric::dynamic_energy,
                                                   BoardMetric::temperature, BoardMetric::voltage};

const char* to_string(BoardMetric metric);

// Opens what records the sensors of a device's board. unavailable: nothing tells of it.
using OpenRecorder = std::function<Result<std::unique_ptr<power::Recorder>>(const DeviceInfo&)>;

}  // namespace wattune::tune
