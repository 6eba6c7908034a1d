// Observer: a measurement of the user's own while a configuration runs (a power meter beside the machine, another
// profiler, a count that the application keeps). It gives metrics, which a spec may compute with and search for.
//
//   class Meter : public tune::Observer { ... };
//   options.observers = {std::make_shared<Meter>()};  // EvaluatorOptions
#pragma once

#include <span>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::tune {

// Called for every correct configuration, or for those that EvaluatorOptions::observe_for selects, on the evaluator's
// thread. Evaluators of several devices work at the same time, so each needs an Observer of its own. Any Error ends the
// search.
class Observer {
 public:
  virtual ~Observer() = default;
  // Returns the names of the metrics that end() gives.
  virtual std::vector<std::string> metrics() const = 0;
  // Begins to measure; the device is idle. Until end() the device runs this configuration alone,
  // EvaluatorOptions::observed_runs times, with what restores its arguments before each run. end() is not called if a
  // run fails.
  virtual Result<void> begin(const Configuration& configuration) = 0;
  // Ends the measurement: returns the metrics, given the samples of the runs. Metrics without a value for this
  // configuration are left out.
  virtual Result<std::vector<Metric>> end(std::span<const Sample> runs) = 0;
};

}  // namespace wattune::tune
