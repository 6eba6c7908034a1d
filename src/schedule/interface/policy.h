// Policies: choose which kernels run together, as pure functions of the queue and of the forecasts of its pairs.
//
// A policy is asked whenever something arrives or ends, and answers with everything that shall run. A whole kernel that
// the answer leaves out runs on to its end; other forms give way at their next block or slice. Policies are values,
// each of which one thread at a time uses: greedy keeps the profits of the works that it saw last.
//
//   WATTUNE_ASSIGN(const schedule::Policy policy, schedule::find_policy("paired"));
//   const schedule::Plan plan = policy(view, table);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/pair_table.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

// The way in which a work shall run.
struct Share {
  WorkId work = 0;
  Form form = Form::whole;
  unsigned per_sm = 0;             // for persistent: resident blocks on each SM
  std::uint64_t slice_blocks = 0;  // for slices: of each slice
  unsigned in_flight = 1;          // for slices: launched at once
  int priority = 0;
  SmRange sms = {};
  std::uint64_t shared_bytes = 0;  // as in Launch; the scheduler sets it

  bool operator==(const Share&) const = default;
};

// The first kernel of a pair, and the way in which the two run.
struct PlannedPair {
  KernelId first = 0;
  PairShape shape = {};
};

// A decision: everything that shall run from now on.
struct Plan {
  std::vector<Share> shares = {};
  std::optional<PlannedPair> pair = {};  // of paired, if two kernels begin to run together
  // The clocks that these shares request; nullopt if the previous request still holds. Clocks are held for a while, so
  // they may be set later.
  std::optional<backend::BoardSetting> clocks = {};
  // True if one kernel runs alone with as many blocks as the SMs hold, or two run in streams, or whole kernels give way
  // to urgent works. A next one of this kind begins in a lane of its own, and may fill the SMs that the last blocks
  // leave idle.
  bool fills_sms = false;
  // True if a pair runs in a way that is to be measured. Nothing is launched behind its works, as another way may
  // follow.
  bool is_trial = false;
  // Works that are launched behind those that run, each behind one of the same form, priority and SMs. Without it the
  // policy is asked for each work what would follow it.
  std::optional<std::vector<Share>> ahead = {};
  double speedup = 1.0;     // over one after the other, as forecast
  std::string reason = {};  // one line for people
};

// A work that may run.
struct Candidate {
  WorkId work = 0;
  KernelId kernel = 0;
  const KernelTraits* traits = nullptr;
  double left = 1.0;  // expected share of its blocks that it has yet to run; for slices, that are not launched
  int priority = 0;
  Nanoseconds submitted = {};
  Nanoseconds limit = kForever;       // longest time that it may run
  std::optional<Share> running = {};  // as decided, though it may not have begun
};

// The state of the clocks.
struct ClockView {
  bool can_set = false;
  // True if the clocks that are set have been held for long enough, which is `hold`.
  bool may_change = true;
  Nanoseconds hold = nanoseconds_from_seconds(1);
  std::optional<backend::BoardSetting> held = {};  // nullopt for the board's own

  bool must_hold() const { return can_set && held && !may_change; }
};

// A number of works of one kernel.
struct WorkCount {
  KernelId kernel = 0;
  std::size_t works = 0;
};

// The queue as a policy sees it.
struct QueueView {
  MachineLimits limits;
  Nanoseconds now;
  ClockView clocks = {};
  // The works whose dependencies have ended: those that run, then others, each in the order of submission. If some do
  // not fit, those of the highest priority follow, and then the first work of each kernel that has none among them.
  std::vector<Candidate> works;
  // Works in many streams that ended since nothing ran, of each of the two kernels that run so; empty if none run so,
  // or others run beside them.
  std::vector<WorkCount> ended_in_many_streams = {};
  // Further works of these kernels: those that did not fit into `works`, and those that are launched behind others.
  std::vector<WorkCount> later = {};
  // The works that are launched behind others.
  std::vector<WorkCount> behind = {};
};

// A function that decides which works run, and how.
using Policy = std::function<Plan(const QueueView& view, const PairTable& table)>;

struct PolicyOptions {
  Objective objective = {};  // of paired and greedy
  double least_gain = 0.02;  // that a pair needs over one after the other to run as one
  double margin = 0.05;      // by which another pair must be better than the running one
  // Longest time alone of kernels that run whole, which costs less. Longer ones run in a form that gives way to an
  // arrival.
  Nanoseconds longest_whole = nanoseconds_from_ms(2);
  // A work that has waited for this many times its time alone goes before those that have not; never if 0.
  double patience = 0.0;
  unsigned most_streams = 16;  // in use at once (streams, priority, urgent works)
  // The priority from which works are urgent, for paired; nullopt if none are. Urgent works begin at once, whole, in
  // lanes of higher priorities than all others. The others run whole, too: blocks of whole kernels leave their SMs one
  // by one, and urgent ones take their places.
  std::optional<int> urgent_from = {};
  unsigned slices_in_flight = 2;
  model::PruningThresholds pruning = {};  // of kernelet
  std::uint64_t seed = 1;                 // of the random policy
};

// The forecasts that a policy needs.
enum class ForecastKind {
  none,
  balanced_ratio,  // chain_forecaster, RatioRule::balanced
  best_ratio,      // residency_forecaster; or the best split, if pairs share SMs by persistent twins
  split,           // split_forecaster
};

// A policy as lists show it.
struct PolicyTraits {
  std::string_view name;
  std::string_view explanation;
  ForecastKind forecasts = ForecastKind::none;
  Form form = Form::persistent;  // in which pairs share SMs
  bool heeds_objective = false;
};

// Returns fifo, streams, priority, split, orion, kernelet, greedy, random and paired (the default).
const std::vector<PolicyTraits>& policies();
// Returns the policy of this name. Fails with not_found, with the nearest name.
Result<Policy> find_policy(std::string_view name, const PolicyOptions& options = {});

}  // namespace wattune::schedule
