// Trial: a configuration with its observation, the only thing that leaves the tuning loop.
//
// The specification is the same for every Trial of a run, so it is kept once, in RunInfo; a ResultSet is a run
// with its Trials, which is what store reads and report shows. TrialSink is where the loop writes them:
// declared here, implemented in store, so that the loop need not know the store.
//
// A configuration may have several Trials: of the search, of the final, of a run that was resumed. The one that was
// recorded last counts, because it was measured beside the other finalists, or failed a check that the ones before it
// did not have. Whoever reads Trials asks counting() or keep_counting(), and nothing else decides.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/device_info.h"
#include "wattune/core/identity.h"
#include "wattune/core/objective.h"
#include "wattune/core/observation.h"
#include "wattune/core/parameter.h"
#include "wattune/core/result.h"

namespace wattune {

struct Trial {
  Configuration configuration;
  Observation observation;
  std::chrono::system_clock::time_point finished_at;
  std::string device = {};  // selector of the one that measured it, where a run had several; else empty
};

// What a run was about, with everything that must agree before its Trials may be mixed with new ones.
struct RunInfo {
  std::string kernel_name;
  std::string kernel_language;  // as to_string(Language): "OpenCL", "C++"
  std::string problem_size;     // as text, for reports and Kernel Tuner's cache; may be empty
  std::string space_hash;       // SearchSpace::content_hash()
  Identity identity;            // beside what the other members say; empty: an older Wattune did not record it
  DeviceInfo device;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  std::vector<Value> default_values;  // of the default configuration, in the order of parameters; may be empty
  std::vector<Objective> objectives;  // empty: the least time
  std::string wattune_version;
  std::chrono::system_clock::time_point started_at;
};

// The part of an identity that says what may be tried by what a compiled kernel takes.
inline constexpr const char* kResourceConstraints = "resource constraints";

// All that Trials of this run must have in common: its identity with device, driver, objectives and the names of the
// parameters. Values, constraints and defaults are no part: a time belongs to its configuration, not to the space that
// it was drawn from.
Identity identity_of(const RunInfo& info);

// The Trials that count, in the order in which their configurations were first recorded. Configurations are told apart
// by their values. The Trials must outlive what is returned.
std::vector<const Trial*> counting(const std::vector<Trial>& trials);

// Leaves only those, in that order.
void keep_counting(std::vector<Trial>& trials);

struct ResultSet {
  RunInfo info;
  std::vector<Trial> trials;  // in the order they were measured

  // The time of the fastest of those that count with what the objective allows on top (Objective::slowdown); infinite
  // where it allows everything, or nothing is correct.
  Nanoseconds longest_time() const;
  // Of those that count, and take no longer than that, the Trial with the smallest objective, or nullptr when none is
  // correct and has one. After a final: of its winner and what was measured later, because the winner was found among
  // all before, or beside it without a place, as the default configuration has it in older files. It points into
  // `trials`.
  const Trial* best() const;
};

// Where finished Trials go. Called from one thread, before the next launch; who keeps a Trial copies it.
class TrialSink {
 public:
  virtual ~TrialSink() = default;
  virtual Result<void> add(const Trial& trial) = 0;
};

}  // namespace wattune
