// Trial: a configuration with its observation. Nothing else leaves the tuning loop. A ResultSet is a run with its
// Trials, which `store` reads and `report` shows. RunInfo describes the run: all that is the same for its Trials. The
// loop writes Trials to a TrialSink, which `store` implements, so that the loop need not know the store.
//
// A configuration may have several Trials: of the search, of the final, of a run that was resumed. The last recorded
// Trial counts, because it was measured beside the other finalists, or because it failed a check that was not made for
// the earlier ones. counting() and keep_counting() alone decide which Trials count. All but the sink are values that
// own their parts.
//
//   if (const Trial* const best = results.best()) print(best->configuration.to_string());
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/device_info.h"
#include "wattune/core/export.h"
#include "wattune/core/identity.h"
#include "wattune/core/observation.h"
#include "wattune/core/parameter.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1 {

// A configuration that was measured.
struct WATTUNE_EXPORT Trial {
  Configuration configuration;
  Observation observation;
  std::chrono::system_clock::time_point finished_at;
  std::string device = {};  // selector of the device that measured it if a run had several; else empty
};

// The description of a run, with everything that must agree before its Trials may be mixed with new ones.
struct WATTUNE_EXPORT RunInfo {
  std::string kernel_name;
  std::string kernel_language;  // text of to_string(Language): "OpenCL", "C++"
  std::string problem_size;     // size as text, for reports and Kernel Tuner's cache; may be empty
  std::string space_hash;       // SearchSpace::content_hash()
  // Further parts of the identity, besides the other members. Empty if an older Wattune wrote the record without them.
  Identity identity;
  DeviceInfo device;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  std::vector<Value> default_values;  // values of the default configuration, in the order of parameters; may be empty
  std::vector<Objective> objectives;  // the least time if empty
  std::string wattune_version;
  std::chrono::system_clock::time_point started_at;
};

// The name of the part of an identity that holds the resource constraints, which restrict the configurations that may
// be tried.
inline constexpr const char* kResourceConstraints = "resource constraints";

// Returns all that Trials of this run must have in common: its identity with device, driver, objectives and the names
// of the parameters. The parameters' values, the constraints and the default configuration are no part, because a time
// belongs to its configuration, not to the space that it was drawn from.
WATTUNE_EXPORT Identity identity_of(const RunInfo& info);

// Returns the Trials that count, in the order in which their configurations were first recorded. Configurations are
// told apart by their values. The Trials must outlive the result.
WATTUNE_EXPORT std::vector<const Trial*> counting(const std::vector<Trial>& trials);

// Erases all Trials but those that counting() returns, and keeps its order.
WATTUNE_EXPORT void keep_counting(std::vector<Trial>& trials);

// A run with its Trials.
struct WATTUNE_EXPORT ResultSet {
  RunInfo info;
  std::vector<Trial> trials;  // Trials in the order in which they were measured

  // Returns the longest time with which a Trial may be the best: the time of the fastest correct Trial that counts,
  // times one plus the slowdown limit (Objective::slowdown). Infinite without a limit, or if no Trial is correct.
  Nanoseconds longest_time() const;
  // Returns the Trial with the smallest objective among those that count and take no longer than longest_time();
  // nullptr if none is correct and has an objective. It points into `trials`. After a final, its winner competes only
  // with later Trials, which finished no earlier than the winner and have no place in a final. Among all other Trials
  // the final has chosen already. In files of older versions the default configuration has no place in the final.
  const Trial* best() const;
};

// The destination of finished Trials. One thread calls it after each measurement, before the next launch. An
// implementation that keeps a Trial copies it.
class WATTUNE_EXPORT TrialSink {
 public:
  virtual ~TrialSink() = default;
  // Records a Trial. An error ends the run.
  virtual Result<void> add(const Trial& trial) = 0;
};

}  // namespace wattune
