// Writes and reads RunInfo and Trials as Wattune's own JSON: the members that the journal and results.json share.
#pragma once

#include <string>

#include "store/interface/document.h"
#include "store/interface/timestamp.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Adds the members of a RunInfo to an object.
void add_run_info(Json& object, const RunInfo& info);
RunInfo run_info_from_json(const Json& object);  // reads these members; throws Malformed

// Appends `"status":...,"finished_at":...`, the members for the result of a Trial, without braces.
void append_measured(std::string& out, const Trial& trial);

// A Trial without its configuration.
struct Measured {
  Observation observation;
  TimePoint finished_at;
  std::string device;
};
Measured measured_from_json(const Json& object);  // throws Malformed

// Reads the member "id", a number in the form of a text.
ConfigurationId id_from_json(const Json& object);  // throws Malformed

Configuration::Names names_of(const std::vector<Parameter>& parameters);

}  // namespace wattune::store
