// QueueReport: the outcome of a queue of works of a few kernels, which ran under several policies, and the verdict on
// the fastest policy. A QueueRequest asks for such a report (CorunSession::run_queue()). A QueueRun is one run of the
// queue under one policy.
//
// All types are values, and any thread may use them.
//
//   WATTUNE_ASSIGN(const QueueReport report, session->run_queue({.works = 200}));
//   for (const PolicyRun& run : report.policies) print(run.policy, run.makespan);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_table.h"
#include "wattune/schedule/round_times.h"

namespace wattune::inline v0_1::schedule {

// The outcome of a queue of works under one policy.
struct WATTUNE_EXPORT QueueRun {
  Nanoseconds makespan;
  Nanoseconds first_block;  // moment of the first block, from the beginning of the run
  Nanoseconds mean_response;
  Nanoseconds response_99;       // 99 % of the works respond within this time
  double slowdown = 0.0;         // mean response, divided by the mean time alone
  std::optional<Joules> energy;  // energy of the board, if the machine reports it
  std::size_t launches = 0;
  std::size_t ended = 0;  // number of works
  // The board's refusal of clocks, if it ended the run though works were left.
  std::optional<Error> refusal = {};
  PairTable pairs = PairTable();  // the table at the end of the run
};

inline constexpr const char* kQueueBase = "streams";  // the policy to which gains refer
inline constexpr const char* kQueueControl = "fifo";  // the policy whose time is known from the times alone

// The works of a queue, and the policies that run it.
struct WATTUNE_EXPORT QueueRequest {
  std::vector<std::string> policies = {"fifo", "streams", "split", "paired"};
  Objective objective = {};  // objective of the policies that heed one
  std::size_t works = 100;
  std::string arrivals = {};        // a file of recorded arrivals; drawn at random if empty
  std::optional<double> load = {};  // load of arrivals drawn at random; if absent, all works are there at first
  std::uint64_t seed = 1;
  std::size_t repeats = 5;
  std::optional<Nanoseconds> energy_window = {};  // chosen to suit the board if absent
  bool traced = false;
  std::string trace_of = {};  // label of the policy to trace; the fastest if empty
  // A callback before each run; if it returns false the runs end with `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

// The runs of the queue under one policy.
struct WATTUNE_EXPORT PolicyRun {
  std::string policy;    // name, with the objective if that is not throughput
  QueueRun run;          // the run with the median makespan; of two middle runs, the shorter
  Nanoseconds makespan;  // median of the runs
  PairTable forecasts;   // forecasts before the run
  // True if the forecasts come from pilots, which are short runs of the pairs. False for `split` and in virtual time.
  bool piloted = false;
  // Gain in makespan over `streams`. Absent if `streams` did not run, if real runs were made only once, or if gains are
  // withheld.
  std::optional<Gain> gain = {};
  // Joules of `fifo`, and those of the most frugal policy that heeds no objective, each divided by the joules of this
  // run, minus one. Absent if there is no such run, or if its joules are unknown.
  std::optional<double> energy_over_fifo = {};
  std::optional<double> energy_over_baseline = {};
};

// The run in which the board refused clocks, which ended all runs.
struct WATTUNE_EXPORT RefusedRun {
  std::string policy;
  std::size_t ended = 0;  // works that had ended
  Error why;
};

// The outcome of the rounds: the fastest policy, and whether the report may name it.
struct WATTUNE_EXPORT QueueVerdict {
  std::optional<Standing> standing = {};  // places in `policies`; absent if the rounds cannot be compared
  // Place of the policy that the fastest is compared with: `streams`, or the second fastest.
  std::size_t base = 0;
  std::optional<Gain> claimed = {};  // gain of the fastest over `base`
  // Deviation of the time that `fifo` took, from its first block on, from the sum of the kernels' times alone. It is
  // absent if times are exact, or if `fifo` did not run.
  std::optional<Control> control = {};

  bool is_withheld() const { return control && !control->holds(); }
};

// The comparison of outputs under each policy. It is made in the first run, which does not count.
struct WATTUNE_EXPORT ComparedOutputs {
  std::size_t works = 0;                      // works that were compared
  std::vector<std::string> partly = {};       // kernels of which some or all works were not compared
  std::vector<std::string> differences = {};  // where outputs differ from a run alone: policy, work, kernel, place
};

// The outcome of all policies.
struct WATTUNE_EXPORT QueueReport {
  std::vector<KernelTraits> kernels;
  unsigned sms = 1;
  std::size_t works = 0;
  std::string arrivals;  // description of the arrivals in words
  Objective objective = {};
  std::vector<backend::BoardSetting> clocks = {};  // clocks that policies may set; empty if they may set none
  std::vector<PolicyRun> policies;                 // policies that ran to the end, those added for comparison first
  RoundTimes rounds = {};                          // makespans by policy
  QueueVerdict verdict = {};
  Nanoseconds in_turn = {};  // time of all works one after the other, computed from the times alone
  std::optional<RefusedRun> refused = {};
  // Forecasts without pilots, for pairs of kernels whose use of the GPU was counted on a device.
  PairTable counted = PairTable();
  std::string trace;                            // trace of a run of the requested policy
  std::optional<ComparedOutputs> outputs = {};  // absent if these kernels have no outputs
};

}  // namespace wattune::schedule
