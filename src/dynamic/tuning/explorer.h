// Explorer: chooses the configurations of a problem that the application's calls try, and takes the results.
//
// The instance of the key calls it, from any thread that holds the instance's lock. No function waits.
// make_trusted_explorer() makes a search in which each step is a call. make_screened_explorer() makes a search in a
// process of its own, whose best configurations are then tried in calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/calls/problem.h"
#include "wattune/core/observation.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::inline v0_1::dynamic {

// A configuration that is worth compiling for the application, with its expected time.
struct Candidate {
  Configuration configuration;
  std::optional<Nanoseconds> expected;  // time expected from screening
};

class Explorer {
 public:
  virtual ~Explorer() = default;
  // Returns the configurations to compile and load, the next one first. Their results are not known yet, and they were
  // not dropped. The list may change between calls.
  virtual std::vector<Candidate> wanted() = 0;
  // Returns a number that changes whenever wanted() or over() may return another result.
  virtual std::uint64_t news() { return ++asked_; }
  // Takes the least device time that future calls of the key will probably take. The possible gain depends on this
  // time.
  virtual void note_calls(Nanoseconds /*time*/) {}
  // Takes the time that note_calls() takes, for a key that was not called yet.
  virtual void expect_calls(Nanoseconds time) { note_calls(time); }
  // Takes the result of a candidate: its times in calls, or its failure to compile or to launch. A candidate that was
  // stopped early has few samples. Results of configurations that are not wanted any more are ignored.
  virtual void tell(const Configuration& configuration, const Observation& observation) = 0;
  // True if no more configurations are to be tried.
  virtual bool over() const = 0;
  // True if the search has come to its end. False if the search ended early for some reason.
  virtual bool is_complete() const { return over(); }
  // True if the explorer ended early because its key was not called. The key is to be tuned again when it is called
  // again.
  virtual bool was_left() const { return false; }
  // Returns the number of configurations that were tried, or of those that failed. Both numbers include screening.

  virtual std::uint64_t explored() const = 0;
  virtual std::uint64_t failed() const = 0;
  // Returns the configurations that failed in screening, before calls could try them.
  virtual std::vector<FailedReport> failures() const { return {}; }
  // Returns a text on the progress of the search, for reports.
  virtual std::string state() const = 0;

 private:
  std::uint64_t asked_ = 0;
};

}  // namespace wattune::dynamic
