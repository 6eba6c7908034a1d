// Trace: what a scheduler ran and decided, as a file that Perfetto (ui.perfetto.dev) and Chrome open.
//
// Written by the thread that owns the scheduler; a copy may be read elsewhere.
//
//   schedule::Trace trace;
//   schedule::Scheduler scheduler(machine, policy, {}, &trace);
//   write(path, trace.json());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/work.h"

namespace wattune::schedule {

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

struct Decision {
  Nanoseconds moment;
  std::string reason;
  double speedup = 1.0;  // forecast
  std::size_t waiting = 0;
};

class Trace {
 public:
  // Later events are counted only, so that a runtime that runs for days does not fill the memory.
  explicit Trace(std::size_t most_events = 1'000'000) : most_events_(most_events) {}

  void add(Span span);
  void add(Decision decision);

  const std::vector<Span>& spans() const { return spans_; }
  std::size_t dropped() const { return dropped_; }

  // Trace Event Format: a track for each lane, an instant event for each decision; microseconds.
  std::string json() const;

 private:
  bool has_room();

  std::size_t most_events_;
  std::size_t dropped_ = 0;
  std::vector<Span> spans_;
  std::vector<Decision> decisions_;
};

}  // namespace wattune::schedule
