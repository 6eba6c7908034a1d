// TuningOptions, TuningEvent and TuningResult: the options, events and result of a tuning run, as plain values.
// TuningObserver is the interface for observers of a run.
//
//   struct Printer : TuningObserver { void on_trial(const TuningEvent& event) override { ... } };
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/search/stop_rule.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

// An event that an observer of the run gets after each Trial. The objects it refers to live for the call.
struct WATTUNE_EXPORT TuningEvent {
  const Trial& trial;
  const search::Progress& progress;
  const Trial* best;  // nullptr before the first correct Trial
  bool improved;      // this Trial is the new best
  std::optional<Pipeline> pipeline = {};
};

// An observer of a run; this one ignores every event. It is called from the tuning thread, and must not block for long.
class WATTUNE_EXPORT TuningObserver {
 public:
  virtual ~TuningObserver() = default;
  virtual void on_start(const search::Progress& /*progress*/, std::size_t /*resumed*/) {}
  virtual void on_trial(const TuningEvent& /*event*/) {}
  // Tells that the search is over, and that this many configurations, more than one, run in turns next.
  virtual void on_final(std::size_t /*contestants*/) {}
  // Reports that one of several devices is lost for good; the other devices continue.
  virtual void on_device_lost(const std::string& /*device*/, const Error& /*error*/) {}
};

// The options of a search.
struct WATTUNE_EXPORT TuningOptions {
  search::StopRule stop;
  // Number of proposals that the strategy is asked for before the outcome of the first is known; at least 1. The
  // evaluator compiles them ahead. With more than one, a search that learns from outcomes gets them later.
  std::size_t ahead = 1;
  // Parameters that are costly to change. Waiting proposals are grouped by these parameters' values, and the group with
  // the present values comes first. A strategy that learns nothing may be asked for `batch` proposals at once.
  std::vector<std::string> costly = {};
  std::size_t batch = 1;
  // A flag that a signal handler or another thread sets to end the run after the evaluations in flight. Outlives the
  // run. The final then ends after the run in flight and decides nothing.
  const std::atomic<bool>* cancel = nullptr;
  // Options of the final between the default configuration and those that the search could not tell from the best. The
  // default wins unless one of the others is better. There is no final after cancelling. If one block of the final's
  // rounds would last longer than max_time, there are fewer finalists, but at least two.
  measure::ShootOutOptions shoot_out;
  // The part of the stop rule's time that was spent before the search begins, as on opening devices. The final ends
  // soon after the stop rule's time, if need be without a verdict.
  Nanoseconds spent = {};
  // Limit on how much slower than the fastest the answer may be, as a share of the fastest time (Objective::slowdown).
  std::optional<double> slowdown = {};

  bool cancelled() const { return cancel != nullptr && cancel->load(); }
};

// The part of one device in a run.
struct WATTUNE_EXPORT DeviceShare {
  std::string device;           // selector of the device
  std::uint64_t evaluated = 0;  // configurations that the device evaluated in this run
  std::optional<Error> lost;    // the reason why the device left the run
};

// The result of a search. The counts are numbers of configurations.
struct WATTUNE_EXPORT TuningResult {
  std::optional<Trial> best;
  std::vector<Trial> ties;        // configurations that the final could not tell from the best, without it
  std::optional<Trial> baseline;  // the default configuration, if it was evaluated
  std::uint64_t evaluated = 0;    // evaluations of this run, without resumed and skipped configurations
  std::uint64_t skipped = 0;      // configurations of this run with Status::constraints
  std::uint64_t resumed = 0;
  std::map<Status, std::uint64_t> by_status;  // resumed and new configurations by their status
  std::uint64_t left_out = 0;  // configurations too slow to measure their energy in the search (docs/measure.md)
  std::uint64_t lacking = 0;   // correct configurations without some metric, because it has no value for them
  std::string why_lacking;     // the reason why the first of these lacks a metric
  std::optional<search::StopReason> stop_reason;  // nullopt while the search continues
  std::uint64_t samples = 0;                      // samples of the correct configurations
  std::uint64_t throttled_samples = 0;            // samples that were taken while power or heat held the clock down
  Nanoseconds elapsed;
  std::optional<Pipeline> pipeline;
  std::vector<DeviceShare> devices;  // one share for each evaluator
};

}  // namespace wattune::tune
