// What a run of tuning is told and what it tells: options, events, result. Plain values, and an interface for whoever
// watches.
//
//   struct Printer : TuningObserver { void on_trial(const TuningEvent& event) override { ... } };
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/measure/shoot_out.h"
#include "wattune/search/stop_rule.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

// What an observer of the run sees after each Trial; what it refers to lives for the call.
struct TuningEvent {
  const Trial& trial;
  const search::Progress& progress;
  const Trial* best;  // nullptr before the first correct one
  bool improved;      // this Trial is the new best
  std::optional<Pipeline> pipeline = {};
};

// Called from the tuning thread; must not block for long. This one looks away.
class TuningObserver {
 public:
  virtual ~TuningObserver() = default;
  virtual void on_start(const search::Progress& /*progress*/, std::size_t /*resumed*/) {}
  virtual void on_trial(const TuningEvent& /*event*/) {}
  // The search is over; so many configurations, several, are to be run in turns.
  virtual void on_final(std::size_t /*contestants*/) {}
  // One of several devices is gone for good; the others go on.
  virtual void on_device_lost(const std::string& /*device*/, const Error& /*error*/) {}
};

struct TuningOptions {
  search::StopRule stop;
  // How many proposals the strategy is asked for before the outcome of the first is known, for the evaluator to compile
  // ahead. A search that learns from outcomes learns later; at least 1.
  std::size_t ahead = 1;
  // Parameters that are costly to change: of the proposals that wait, those with equal values follow each other, the
  // last values first. A strategy that learns nothing is asked for as many as `batch` at once.
  std::vector<std::string> costly = {};
  std::size_t batch = 1;
  // Outlives the run; set from a signal handler or another thread to end after the evaluations in flight. The final
  // ends after the run in flight and decides nothing.
  const std::atomic<bool>* cancel = nullptr;
  // Between those that the search could not tell from the best and the default configuration, which wins unless one of
  // them is better; not after cancelling. Fewer finalists, but two, when they take so long that a block would last
  // longer than max_time.
  measure::ShootOutOptions shoot_out;
  // The part of the stop rule's time spent before the search begins, as on opening devices. The final ends soon after
  // that time, if need be without a verdict.
  Nanoseconds spent = {};
  // Of the objective: what takes longer than the fastest by more than this share is not the answer (Objective).
  std::optional<double> slowdown = {};

  bool cancelled() const { return cancel != nullptr && cancel->load(); }
};

// What became of one device in a run.
struct DeviceShare {
  std::string device;           // its selector
  std::uint64_t evaluated = 0;  // configurations, this run
  std::string lost;             // why it left the run; empty: it did not
};

struct TuningResult {
  std::optional<Trial> best;
  std::vector<Trial> ties;        // that the final could not tell from the best, which is not among them
  std::optional<Trial> baseline;  // the default configuration, when it was evaluated
  std::uint64_t evaluated = 0;    // this run, without resumed and skipped ones
  std::uint64_t skipped = 0;      // this run; Status::constraints
  std::uint64_t resumed = 0;
  std::map<Status, std::uint64_t> by_status;  // resumed and new
  std::uint64_t left_out = 0;  // correct ones in the search whose time spoke against measuring energy (core/energy.h)
  std::uint64_t lacking = 0;   // correct ones that lack a metric, because it has no value for them
  std::string why_lacking;     // of the first of them
  std::string stop_reason;
  std::uint64_t samples = 0;            // of the correct ones
  std::uint64_t throttled_samples = 0;  // of those, taken while power or heat held the clock down
  Nanoseconds elapsed;
  std::optional<Pipeline> pipeline;
  std::vector<DeviceShare> devices;  // of each evaluator
};

}  // namespace wattune::tune
