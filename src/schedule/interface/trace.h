// Trace: the launches and decisions of a scheduler, as a file that Perfetto (ui.perfetto.dev) and Chrome open.
//
// The thread that owns the scheduler writes it; other threads may read a copy.
//
//   schedule::Trace trace;
//   schedule::Scheduler scheduler(machine, policy, {}, &trace);
//   write(path, trace.json());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/interface/policy.h"
#include "wattune/core/units.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

// A launch that ended.
struct Span {
  std::string kernel;
  WorkId work = 0;
  unsigned tenant = 0;
  unsigned lane = 0;
  Form form = Form::whole;
  unsigned per_sm = 0;
  SmRange sms = {};
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  Nanoseconds begin;
  Nanoseconds end;
  bool failed = false;
};

// A plan of the policy.
struct Decision {
  Nanoseconds moment;
  std::string reason;
  double speedup = 1.0;  // forecast speed-up
  std::size_t waiting = 0;
  std::optional<PlannedPair> pair = {};  // the pair, as in Plan
};

class Trace {
 public:
  // Keeps at most this many events and only counts later ones. So a runtime that works for days does not fill the
  // memory.
  explicit Trace(std::size_t most_events = 1'000'000) : most_events_(most_events) {}

  void add(Span span);
  void add(Decision decision);

  const std::vector<Span>& spans() const { return spans_; }
  const std::vector<Decision>& decisions() const { return decisions_; }
  std::size_t dropped() const { return dropped_; }

  // Returns the events in the Trace Event Format: a track for each lane, an instant event for each decision, in
  // microseconds.
  std::string json() const;

 private:
  bool has_room();

  std::size_t most_events_;
  std::size_t dropped_ = 0;
  std::vector<Span> spans_;
  std::vector<Decision> decisions_;
};

}  // namespace wattune::schedule
