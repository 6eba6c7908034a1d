// What `wattune corun` says of queues: works of a few kernels under several policies.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun_stage.h"
#include "cli/json.h"
#include "wattune/schedule/queue_experiment.h"

namespace wattune::cli {

struct QueueWishes {
  std::vector<std::string> policies;
  schedule::Objective objective = {};  // of those that heed one
  std::size_t works = 100;
  std::string arrivals;        // a file; empty: drawn
  std::optional<double> load;  // of drawn ones; none: all are there from the beginning
  std::uint64_t seed = 1;
  std::size_t repeats = 3;
  std::optional<Nanoseconds> energy_window = {};  // none: as suits the board
  bool traced = false;
  // Asked before each run; false ends as `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

struct PolicyRun {
  std::string policy;               // with its objective, where that is another than throughput
  schedule::QueueRun run;           // the one with the median makespan
  schedule::PairTable forecasts;    // before it
  std::optional<double> gain = {};  // makespan of `streams` over its own, less one; none: that did not run
  // Joules of fifo, and of the policy that heeds no objective and took the fewest, over its own, less one; none:
  // there is no such run, or its joules are unknown.
  std::optional<double> energy_over_fifo = {};
  std::optional<double> energy_over_baseline = {};
};

// Clocks were refused half-way, with which everything ended.
struct RefusedRun {
  std::string policy;
  std::size_t ended = 0;  // works of it
  Error why;
};

struct QueueReport {
  std::vector<schedule::KernelTraits> kernels;
  unsigned sms = 1;
  std::size_t works = 0;
  std::string arrivals;  // in words
  schedule::Objective objective = {};
  std::vector<Megahertz> clocks = {};  // that policies may set; empty: the board has its own
  std::vector<PolicyRun> policies;     // `streams` first, where nobody asked for it; all that ran to the end
  std::optional<RefusedRun> refused = {};
  // On a device, of pairs whose use of the GPU was counted: what would be forecast without pilots.
  schedule::PairTable counted = schedule::PairTable();
  std::string trace;  // of the last policy
  bool has_outputs = false;
  std::vector<std::string> differences = {};  // of outputs from those of runs alone: policy, kernel, where
};

// Precondition: the policies exist; where the stage has clocks, the objective needs power. Errors of the arrivals, of
// the works and of devices; cancelled.
Result<QueueReport> run_policies(CorunStage& stage, const QueueWishes& wishes);

std::string queue_text(const CorunStage& stage, const QueueReport& report, bool explain);
Json queue_json(const CorunStage& stage, const QueueReport& report);
std::string queue_svg(const CorunStage& stage, const QueueReport& report);

}  // namespace wattune::cli
