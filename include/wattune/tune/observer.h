// Observer: measures something of the user's own while a configuration runs (a power meter beside the machine, another
// profiler, a count that the application keeps) and makes metrics of it, which a spec may compute with and search for.
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

// Called for every correct configuration, on the evaluator's thread. Evaluators of several devices work at the same
// time, so each needs an Observer of its own. Any Error ends the search.
class Observer {
 public:
  virtual ~Observer() = default;
  // The names of what end() gives.
  virtual std::vector<std::string> metrics() const = 0;
  // The device idles. Until end() it runs this configuration alone, as often as EvaluatorOptions::observed_runs says,
  // and what restores its arguments before each run. When a run fails, end() does not follow.
  virtual Result<void> begin(const Configuration& configuration) = 0;
  // The runs have ended; these are their samples. What cannot be told for this configuration is left out.
  virtual Result<std::vector<Metric>> end(std::span<const Sample> runs) = 0;
};

}  // namespace wattune::tune
