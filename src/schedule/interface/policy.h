// Policies: choose which kernels run together, as pure functions of the queue and of the forecasts of its pairs.
//
// A policy is asked whenever a work arrives or ends, and answers with all works that shall run. A whole kernel that the
// answer leaves out runs on to its end; other forms give way at their next block or slice. Policies are values. One
// thread at a time uses a policy, because `greedy` keeps the profits of the works that it saw last.
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
  unsigned per_sm = 0;             // for the persistent form: resident blocks on each SM
  std::uint64_t slice_blocks = 0;  // for slices: blocks of each slice
  unsigned in_flight = 1;          // for slices: number of slices that are launched at once
  int priority = 0;
  SmRange sms = {};
  std::uint64_t shared_bytes = 0;  // bytes of shared memory, as in Launch; the scheduler sets it

  bool operator==(const Share&) const = default;
};

// The first kernel of a pair, and the way in which the two run.
struct PlannedPair {
  KernelId first = 0;
  PairShape shape = {};
};

// A decision: all works that shall run from now on.
struct Plan {
  std::vector<Share> shares = {};
  std::optional<PlannedPair> pair = {};  // set by `paired`, if two kernels begin to run together
  // The clocks that these shares request; nullopt if the previous request still holds. Clocks are held for a while, so
  // they may be set later.
  std::optional<backend::BoardSetting> clocks = {};
  // True if one kernel runs alone with as many blocks as the SMs hold, if two run in streams, or if whole kernels give
  // way to urgent works. In each of these cases the next work of the same kernel begins in a lane of its own, and may
  // fill the SMs that the last blocks leave idle.
  bool fills_sms = false;
  // True if a pair runs in a way that is to be measured. No further works are launched behind those of the pair,
  // because another way may follow.
  bool is_trial = false;
  // Works that are launched behind those that run, each behind one of the same form, priority and SMs. If there is no
  // list, the policy is asked for each running work which work would follow it.
  std::optional<std::vector<Share>> ahead = {};
  double speedup = 1.0;     // over one after the other, as forecast
  std::string reason = {};  // one line for people
};

// A work that may run.
struct Candidate {
  WorkId work = 0;
  KernelId kernel = 0;
  const KernelTraits* traits = nullptr;
  double left = 1.0;  // expected share of the work's blocks that have yet to run; for slices, that are not yet launched
  int priority = 0;
  Nanoseconds submitted = {};
  Nanoseconds limit = kForever;       // longest time that the work may run
  std::optional<Share> running = {};  // the work's share, as decided, although it may not have begun
};

// The state of the clocks.
struct ClockView {
  bool can_set = false;
  // True if the present clocks have been held for long enough, which is `hold`.
  bool may_change = true;
  Nanoseconds hold = nanoseconds_from_seconds(1);
  std::optional<backend::BoardSetting> held = {};  // the clocks that are set; nullopt for the board's own

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
  // The works whose dependencies have ended: first the running works, then the waiting ones, each in the order of
  // submission. If not all waiting works fit, those of the highest priority are taken, and then the first work of each
  // kernel that has none among these.
  std::vector<Candidate> works;
  // Numbers of works in many streams that ended since the machine last idled, for each of the two kernels that run in
  // this way. Empty if no kernels do, or if others run beside them.
  std::vector<WorkCount> ended_in_many_streams = {};
  // Numbers of further works of the kernels in `works`: works that did not fit into `works`, and works that are
  // launched behind others.
  std::vector<WorkCount> later = {};
  // The works that are launched behind others.
  std::vector<WorkCount> behind = {};
};

// A function that decides which works run, and how.
using Policy = std::function<Plan(const QueueView& view, const PairTable& table)>;

struct PolicyOptions {
  Objective objective = {};  // objective of `paired` and `greedy`
  double least_gain = 0.02;  // gain over one after the other that a pair needs to run together
  double margin = 0.05;      // share by which another pair must be better than the running one
  // Longest time alone of a kernel that runs whole. Running whole costs less than other forms. Kernels that take longer
  // run in a form that gives way to an arrival.
  Nanoseconds longest_whole = nanoseconds_from_ms(2);
  // A work that has waited for this many times its time alone goes before works that have not. With 0 no work does.
  double patience = 0.0;
  unsigned most_streams = 16;  // largest number of streams in use at once (streams, priority, urgent works)
  // The priority from which on works are urgent, for `paired`; nullopt if none is. Urgent works begin at once, as whole
  // kernels, in lanes of higher priorities than all others. The other works also run as whole kernels: their blocks
  // leave the SMs one by one, and urgent blocks take their places.
  std::optional<int> urgent_from = {};
  unsigned slices_in_flight = 2;
  model::PruningThresholds pruning = {};  // thresholds of `kernelet`
  std::uint64_t seed = 1;                 // seed of the policy `random`
};

// The forecasts that a policy needs.
enum class ForecastKind {
  none,
  balanced_ratio,  // chain_forecaster, RatioRule::balanced
  best_ratio,      // residency_forecaster; the best split counts too if pairs share SMs by persistent twins
  split,           // split_forecaster
};

// A description of a policy, as it is shown in lists.
struct PolicyTraits {
  std::string_view name;
  std::string_view explanation;
  ForecastKind forecasts = ForecastKind::none;
  Form form = Form::persistent;  // form in which pairs share SMs
  bool heeds_objective = false;
};

// Returns fifo, streams, priority, split, orion, kernelet, greedy, random and paired (the default).
const std::vector<PolicyTraits>& policies();
// Returns the policy of this name. Fails with not_found, with the nearest name.
Result<Policy> find_policy(std::string_view name, const PolicyOptions& options = {});

}  // namespace wattune::schedule
