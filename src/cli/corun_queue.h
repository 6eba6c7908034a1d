// Queues of `wattune corun`: works of a few kernels under several policies, and the report on them.
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

inline constexpr const char* kQueueBase = "streams";  // the policy to which gains refer
inline constexpr const char* kQueueControl = "fifo";  // the policy whose time is known beforehand, from the times alone

struct QueueWishes {
  std::vector<std::string> policies;
  schedule::Objective objective = {};  // for the policies that heed one
  std::size_t works = 100;
  std::string arrivals;        // a file; drawn at random if empty
  std::optional<double> load;  // of drawn arrivals; if absent, all works are there from the beginning
  std::uint64_t seed = 1;
  std::size_t repeats = 5;
  std::optional<Nanoseconds> energy_window = {};  // chosen to suit the board if absent
  bool traced = false;
  std::string trace_of;  // label of the policy to trace; the fastest if empty
  // A callback before each run; if it returns false the runs end with `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

struct PolicyRun {
  std::string policy;             // name, with the objective if that is not throughput
  schedule::QueueRun run;         // the run with the median makespan; of two such, the shorter
  Nanoseconds makespan;           // median of the runs
  schedule::PairTable forecasts;  // forecasts before the run
  // Gain in makespan over `streams`. Absent if that did not run, if real runs were made only once, or if gains are
  // withheld.
  std::optional<schedule::Gain> gain = {};
  // Joules of `fifo`, and of the most frugal policy that heeds no objective, over those of this run, less one. Absent
  // if there is no such run, or if its joules are unknown.
  std::optional<double> energy_over_fifo = {};
  std::optional<double> energy_over_baseline = {};
};

// The run in which clocks were refused, which ended everything.
struct RefusedRun {
  std::string policy;
  std::size_t ended = 0;  // works that had ended
  Error why;
};

// The outcome of the rounds: the fastest policy, and whether the report may name it.
struct QueueVerdict {
  std::optional<schedule::Standing> standing = {};  // places in `policies`; absent if the rounds tell nothing
  std::size_t base = 0;  // place of the policy that the fastest is compared with: `streams`, or the second fastest
  std::optional<schedule::Gain> claimed = {};  // gain of the fastest over `base`
  // Deviation of `fifo`, from its first block on, from the times alone. Absent if times are exact, or there is no such
  // run.
  std::optional<schedule::Control> control = {};

  bool is_withheld() const { return control && !control->holds(); }
};

// The comparison of outputs under each policy, made in the run that does not count.
struct ComparedOutputs {
  std::size_t works = 0;                      // works that were compared
  std::vector<std::string> partly = {};       // kernels of which some or all works were not compared
  std::vector<std::string> differences = {};  // differences from the run alone: policy, work, kernel and place
};

struct QueueReport {
  std::vector<schedule::KernelTraits> kernels;
  unsigned sms = 1;
  std::size_t works = 0;
  std::string arrivals;  // in words
  schedule::Objective objective = {};
  std::vector<Megahertz> clocks = {};  // clocks that policies may set; empty if they may set none
  std::vector<PolicyRun> policies;     // policies that ran to the end, those added for comparison first
  schedule::RoundTimes rounds = {};    // makespans by policy
  QueueVerdict verdict = {};
  Nanoseconds in_turn = {};  // time of all works one after the other, from the times alone
  std::optional<RefusedRun> refused = {};
  // Forecasts without pilots, for pairs whose use of the GPU was counted on a device.
  schedule::PairTable counted = schedule::PairTable();
  std::string trace;                            // trace of a run of the requested policy
  std::optional<ComparedOutputs> outputs = {};  // absent if these kernels have no outputs
};

// Runs the queue under each policy. On a device each policy first runs once unmeasured, which makes its streams, with
// outputs of its own for each work. Each policy then runs once in each round, in balanced orders. Precondition: the
// policies exist; if the stage has clocks, the objective needs power. Fails with not_found if no policy has the label
// that is to be traced, with cancelled, and with the errors of the arrivals, the works and devices.
Result<QueueReport> run_policies(CorunStage& stage, const QueueWishes& wishes);

std::string queue_text(const CorunStage& stage, const QueueReport& report, bool explain);
Json queue_json(const CorunStage& stage, const QueueReport& report);
// Fills in by how much policies save joules over `fifo` and the best baseline.
void compare_energy(const CorunStage& stage, QueueReport& report);
// Fills in the gains and the verdict from the rounds. `off` is the deviation of the control, nullopt if there is none.
void judge(std::optional<double> off, QueueReport& report);
// Describes the verdict on the fastest policy; empty for a single policy.
std::string verdict_text(const QueueReport& report);
Json verdict_json(const QueueReport& report);
// Lists the policies as they ran, by round.
Json orders_json(const QueueReport& report);
std::string queue_svg(const CorunStage& stage, const QueueReport& report);

}  // namespace wattune::cli
