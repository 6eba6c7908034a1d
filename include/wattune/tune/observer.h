// Observer: a measurement of the user's own while a configuration runs (a power meter beside the machine, another
// profiler, a count that the application keeps). It gives metrics, which a spec may compute with and search for.
// BoardMetric names the figures that the sensors of a device's board give without an Observer.
//
//   class Meter : public tune::Observer { ... };
//   options.observers = {std::make_shared<Meter>()};  // EvaluatorOptions
//   options.observe = {tune::BoardMetric::energy};
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/device_info.h"
#include "wattune/core/export.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::tune {

// A measurement of the user's own. It is called for every correct configuration, or for those that
// EvaluatorOptions::observe_for selects, on the evaluator's thread. Evaluators of several devices work at the same
// time, so each evaluator needs an Observer of its own. Any Error ends the search.
class WATTUNE_EXPORT Observer {
 public:
  virtual ~Observer() = default;
  // Returns the names of the metrics that end() gives.
  virtual std::vector<std::string> metrics() const = 0;
  // Begins to measure, while the device is idle. Until end() the device runs this configuration alone,
  // EvaluatorOptions::observed_runs times, each time after its arguments were restored. end() is not called if a run
  // fails.
  virtual Result<void> begin(const Configuration& configuration) = 0;
  // Ends the measurement: returns the metrics, given the samples of the runs. Metrics without a value for this
  // configuration are left out.
  virtual Result<std::vector<Metric>> end(std::span<const Sample> runs) = 0;
};

// A figure of the board's sensors. The figure is measured after the timed samples, in further runs that take a second
// or two for each configuration. `power` is the watts while the kernel runs, `energy` the joules of one run.
// `dynamic_energy` is the part of these joules above what an idle board with a context draws. `temperature` (degrees
// Celsius) and `voltage` (volts) are the values at the end.
enum class BoardMetric { power, energy, dynamic_energy, temperature, voltage };
inline constexpr BoardMetric kAllBoardMetrics[] = {BoardMetric::power, BoardMetric::energy, BoardMetric::dynamic_energy,
                                                   BoardMetric::temperature, BoardMetric::voltage};

WATTUNE_EXPORT const char* to_string(BoardMetric metric);

// Opens a recorder for the sensors of a device's board. The caller owns the recorder; the sensors behind it belong to
// the recorder. Fails with unavailable if nothing reads that board.
using OpenRecorder = std::function<Result<std::unique_ptr<power::Recorder>>(const DeviceInfo&)>;

}  // namespace wattune::tune
