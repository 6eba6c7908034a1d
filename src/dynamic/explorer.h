// Explorer: which configurations of a problem are to be tried in the application's calls, and what they showed.
//
// The instance that owns it calls it from whichever thread has its lock, one at a time; nothing here waits. Made by
// make_trusted_explorer() (a search whose every step is a call) or make_screened_explorer() (a search in a process of
// its own, whose best are then tried in calls).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/problem.h"
#include "wattune/core/observation.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::dynamic {

// A configuration that is worth compiling for the application, and what is known of it.
struct Candidate {
  Configuration configuration;
  std::optional<Nanoseconds> expected;  // its time, as far as screening says
};

class Explorer {
 public:
  virtual ~Explorer() = default;
  // What is to be compiled and loaded, the next first; all were neither told nor dropped yet. It may change between
  // calls.
  virtual std::vector<Candidate> wanted() = 0;
  // Another number whenever what wanted() or over() gives may be another than before.
  virtual std::uint64_t news() { return ++asked_; }
  // What calls of the key have taken of the device, and will probably take at least: what more may gain depends on it.
  virtual void note_calls(Nanoseconds /*time*/) {}
  // What they will probably take, before the first.
  virtual void expect_calls(Nanoseconds time) { note_calls(time); }
  // What trying a candidate showed, in calls or on the way there (compile, launch failed). A candidate that was stopped
  // early has few samples. One that is not wanted (any more) is ignored.
  virtual void tell(const Configuration& configuration, const Observation& observation) = 0;
  // Nothing more is to be tried.
  virtual bool over() const = 0;
  // It is over because its search came to the end, not because something kept it from that.
  virtual bool is_complete() const { return over(); }
  // It ended early because its key was not called: where it is called again, it is to be tuned again.
  virtual bool was_left() const { return false; }
  // How many configurations were tried, and how many of these failed, screening included.
  virtual std::uint64_t explored() const = 0;
  virtual std::uint64_t failed() const = 0;
  // Those that failed before they came to calls.
  virtual std::vector<FailedReport> failures() const { return {}; }
  // In words, for reports.
  virtual std::string state() const = 0;

 private:
  std::uint64_t asked_ = 0;
};

}  // namespace wattune::dynamic
