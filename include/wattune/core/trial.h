// Trial: specification, configuration and observation together, the only thing that leaves the tuning loop.
//
// The specification is the same for every Trial of a run, so it is kept once, in RunInfo; a ResultSet is a run
// with its Trials, which is what store reads and report shows. TrialSink is where the loop writes them:
// declared here, implemented in store, so that the loop need not know the store.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/device_info.h"
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

// What a run was about: everything that must agree before its Trials may be mixed with new ones.
struct RunInfo {
  std::string kernel_name;
  std::string kernel_language;  // "OpenCL" or "CUDA"
  std::string problem_size;     // as text, for reports and Kernel Tuner's cache; may be empty
  std::string source_hash;      // of the source text, file name excluded
  std::string options_hash;     // of compile options, geometry, arguments and reference
  std::string space_hash;       // SearchSpace::content_hash()
  DeviceInfo device;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  std::vector<Value> default_values;  // of the default configuration, in the order of parameters; may be empty
  std::vector<Objective> objectives;  // empty: the least time
  std::string wattune_version;
  std::chrono::system_clock::time_point started_at;
};

struct ResultSet {
  RunInfo info;
  std::vector<Trial> trials;  // in the order they were measured

  // The Trial with the smallest objective, or nullptr when none is correct. After a shoot-out: of its winner and what
  // was measured later, because the winner was found among all before, or beside it without a place, as the default
  // configuration once was.
  const Trial* best() const;
};

// Where finished Trials go. Called from one thread, before the next launch.
class TrialSink {
 public:
  virtual ~TrialSink() = default;
  virtual Result<void> add(const Trial& trial) = 0;
};

}  // namespace wattune
