// BoardMetric: a figure that the sensors of a device's board give beside the time.
//
// Plain values. The caller of OpenRecorder owns the recorder; the sensors behind it belong to the recorder.
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

// A figure of the board's sensors. It is measured after the timed samples, in runs of its own, which take a second or
// two for each configuration.
// `power` is the watts while the kernel runs, `energy` the joules of one run. `dynamic_energy` is the part of these
// joules above what an idle board with a context draws. `temperature` (degrees Celsius) and `voltage` (volts) are those
// at the end.
enum class BoardMetric { power, energy, dynamic_energy, temperature, voltage };
inline constexpr BoardMetric kAllBoardMetrics[] = {BoardMetric::power, BoardMetric::energy, BoardMetric::dynamic_energy,
                                                   BoardMetric::temperature, BoardMetric::voltage};

const char* to_string(BoardMetric metric);

// Opens a recorder for the sensors of a device's board. Fails with unavailable if nothing reads that board.
using OpenRecorder = std::function<Result<std::unique_ptr<power::Recorder>>(const DeviceInfo&)>;

}  // namespace wattune::tune
