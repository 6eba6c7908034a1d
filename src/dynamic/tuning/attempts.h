// Attempts: the outcomes of the configurations that calls of one key tried. They serve reports, and keep failed
// configurations from being used again.
//
// It belongs to one instance. The instance's mutex guards it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dynamic/tuning/explorer.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::inline v0_1::dynamic {

// The circumstances of a decision about a configuration.
struct Decision {
  bool better = false;
  std::optional<Nanoseconds> best = {};  // time of the best known in calls
  std::uint64_t calls = 0;               // number of the key's calls so far
};

class Attempts {
 public:
  // Notes that calls are to try a candidate, after this many calls of the key.
  void offer(const Candidate& candidate, std::uint64_t calls);
  // Notes the decision about a configuration, for its latest offer. In Mode::explore a configuration may be offered
  // several times.
  void decide(const Configuration& configuration, const Observation& observation, const Decision& decision);
  const std::deque<TriedReport>& tried() const { return tried_; }

  // Notes a failure; an observation without one changes nothing. The first reason of a configuration is kept.
  void fail(const Configuration& configuration, const Observation& observation);
  // True if a configuration failed to compile, to launch or in its outputs; it is never used again.
  bool has_failed(ConfigurationId id) const { return failed_.contains(id); }
  // Returns all failures, with those that an explorer found. nullptr if there is none.
  std::vector<FailedReport> failures(const Explorer* explorer) const;
  // Keeps the failures that an explorer found, before the explorer is destroyed.
  void keep_failures_of(const Explorer& explorer) { failures_ = failures(&explorer); }

  // Notes the error of a call or of a load.
  void note_error(Error error) { last_error_ = std::move(error); }
  const std::optional<Error>& last_error() const { return last_error_; }

 private:
  std::deque<TriedReport> tried_;  // the last few, in the order of their offers
  std::set<ConfigurationId> failed_;
  std::vector<FailedReport> failures_;  // failures in calls, and of earlier explorers
  std::optional<Error> last_error_;
};

}  // namespace wattune::dynamic
