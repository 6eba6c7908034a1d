// What `wattune corun` says of queues: works of a few kernels under several policies.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun_stage.h"
#include "cli/corun_verdict.h"
#include "cli/json.h"
#include "wattune/schedule/queue_experiment.h"

namespace wattune::cli {

inline constexpr const char* kQueueBase = "streams";  // what gains are over
inline constexpr const char* kQueueControl = "fifo";  // whose time is known beforehand, by the times alone

struct QueueWishes {
  std::vector<std::string> policies;
  schedule::Objective objective = {};  // of those that heed one
  std::size_t works = 100;
  std::string arrivals;        // a file; empty: drawn
  std::optional<double> load;  // of drawn ones; none: all are there from the beginning
  std::uint64_t seed = 1;
  std::size_t repeats = 5;
  std::optional<Nanoseconds> energy_window = {};  // none: as suits the board
  bool traced = false;
  std::string trace_of;  // whose run is traced, by its label; empty: that of the fastest
  // Asked before each run; false ends as `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

struct PolicyRun {
  std::string policy;             // with its objective, where that is another than throughput
  schedule::QueueRun run;         // the one with the median makespan, of two such the shorter
  Nanoseconds makespan;           // the median
  schedule::PairTable forecasts;  // before it
  // Over `streams`, in makespan; none: that did not run, of real runs there was one, or it is withheld.
  std::optional<schedule::Gain> gain = {};
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

// The outcome of the rounds: the fastest policy, and whether it may be named.
struct QueueVerdict {
  std::optional<schedule::Standing> standing = {};  // places in `policies`; none: the rounds tell nothing
  std::size_t base = 0;                             // over which the fastest gains: `streams`, or the next one
  std::optional<schedule::Gain> claimed = {};       // of the fastest over that
  // Of `fifo`, from its first block on, over the times alone; none: times are exact, or there is no such run.
  std::optional<schedule::Control> control = {};

  bool is_withheld() const { return control && !control->holds(); }
};

// The outputs that were compared under each policy, in the run that does not count.
struct ComparedOutputs {
  std::size_t works = 0;                      // that were compared
  std::vector<std::string> partly = {};       // kernels of which some works were not, and those of which none was
  std::vector<std::string> differences = {};  // from those of runs alone: policy, work, kernel, where
};

struct QueueReport {
  std::vector<schedule::KernelTraits> kernels;
  unsigned sms = 1;
  std::size_t works = 0;
  std::string arrivals;  // in words
  schedule::Objective objective = {};
  std::vector<Megahertz> clocks = {};  // that policies may set; empty: the board has its own
  std::vector<PolicyRun> policies;     // first those that nobody asked for; all that ran to the end
  schedule::RoundTimes rounds = {};    // their makespans, by policy
  QueueVerdict verdict = {};
  Nanoseconds in_turn = {};  // what all takes one after the other, by the times alone
  std::optional<RefusedRun> refused = {};
  // On a device, of pairs whose use of the GPU was counted: what would be forecast without pilots.
  schedule::PairTable counted = schedule::PairTable();
  std::string trace;                            // of a run of the policy that was to be traced
  std::optional<ComparedOutputs> outputs = {};  // none: these kernels compute nothing
};

// On a device each policy first runs once unmeasured, which makes its streams, each work with outputs of its own; then
// each runs once in each round, in balanced orders. Precondition: the policies exist; where the stage has clocks, the
// objective needs power. invalid_argument: nobody runs by the label that is to be traced; errors of the arrivals, of
// the works and of devices; cancelled.
Result<QueueReport> run_policies(CorunStage& stage, const QueueWishes& wishes);

std::string queue_text(const CorunStage& stage, const QueueReport& report, bool explain);
Json queue_json(const CorunStage& stage, const QueueReport& report);
// Fills in what the policies take fewer joules by than `fifo` and the best baseline.
void compare_energy(const CorunStage& stage, QueueReport& report);
// Fills in the gains and the verdict, by the rounds. `off`: how far the control is; none: there is none.
void judge(std::optional<double> off, QueueReport& report);
// Words the plain sentence on who is the fastest; empty for a single policy.
std::string verdict_text(const QueueReport& report);
Json verdict_json(const QueueReport& report);
// Lists the policies as they ran, by round.
Json orders_json(const QueueReport& report);
std::string queue_svg(const CorunStage& stage, const QueueReport& report);

}  // namespace wattune::cli
