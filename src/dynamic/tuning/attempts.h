// Attempts: the outcomes of the configurations that calls of one key tried. These outcomes are used for reports, and to
// avoid that failed configurations run again.
//
// The object belongs to one instance, whose mutex guards it.
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
  std::optional<Nanoseconds> best = {};  // time of the best known configuration in calls
  std::uint64_t calls = 0;               // number of the key's calls so far
};

class Attempts {
 public:
  // Records that calls will try a candidate. `calls` is the number of calls of the key so far.
  void offer(const Candidate& candidate, std::uint64_t calls);
  // Records the decision about a configuration that was offered to calls, for its latest offer. In Mode::explore a
  // configuration may be offered several times.
  void decide(const Configuration& configuration, const Observation& observation, const Decision& decision);
  const std::deque<TriedReport>& tried() const { return tried_; }

  // Records a failure. An observation that is not a failure changes nothing. If a configuration fails several times,
  // its first reason is kept.
  void fail(const Configuration& configuration, const Observation& observation);
  // True if a configuration did not compile, was not launched, or had wrong outputs. Such a configuration is never used
  // again.
  bool has_failed(ConfigurationId id) const { return failed_.contains(id); }
  // Returns all failures, including those that the explorer found. `explorer` may be nullptr.
  std::vector<FailedReport> failures(const Explorer* explorer) const;
  // Keeps the failures that an explorer found, before the explorer is destroyed.
  void keep_failures_of(const Explorer& explorer) { failures_ = failures(&explorer); }

  // Records the error of a call or of a load.
  void note_error(Error error) { last_error_ = std::move(error); }
  const std::optional<Error>& last_error() const { return last_error_; }

 private:
  std::deque<TriedReport> tried_;  // the last few attempts, in the order of their offers
  std::set<ConfigurationId> failed_;
  std::vector<FailedReport> failures_;  // failures in calls, and those that earlier explorers found
  std::optional<Error> last_error_;
};

}  // namespace wattune::dynamic
