// Policies: who runs with whom, as pure functions of the queue and of what is known of its pairs.
//
// A policy is asked when something arrives or ends, and answers with all that shall run. What runs whole and is left
// out runs on to its end; other forms give way at their next block or slice. Values, of which one thread at a time uses
// each: greedy keeps the profits of the works that it saw last.
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

namespace wattune::schedule {

// How a work shall run.
struct Share {
  WorkId work = 0;
  Form form = Form::whole;
  unsigned per_sm = 0;             // persistent: resident blocks on each SM
  std::uint64_t slice_blocks = 0;  // of each slice,
  unsigned in_flight = 1;          // of which so many are launched at once
  int priority = 0;
  SmRange sms = {};
  std::uint64_t shared_bytes = 0;  // Launch's, which the scheduler fills in

  bool operator==(const Share&) const = default;
};

struct Plan {
  std::vector<Share> shares = {};
  // That these want; none: as was asked for before. Clocks are held for a while, so that they may come later.
  std::optional<backend::BoardSetting> clocks = {};
  // One runs alone with all the blocks that SMs hold: what does so next may fill those that its last blocks leave idle.
  bool fills_sms = false;
  double speedup = 1.0;     // over one after the other, as it is forecast
  std::string reason = {};  // one line for people
};

struct Candidate {
  WorkId work = 0;
  KernelId kernel = 0;
  const KernelTraits* traits = nullptr;
  double left = 1.0;  // share of its blocks that it has yet to run, as is expected; of slices, that are not launched
  int priority = 0;
  Nanoseconds submitted = {};
  std::optional<Share> running = {};  // as it was decided, though it may not have begun
};

struct ClockView {
  bool can_set = false;
  bool may_change = true;                          // what is set has been held for long enough,
  Nanoseconds hold = nanoseconds_from_seconds(1);  // which is so long
  std::optional<backend::BoardSetting> held = {};  // none: the board's own

  bool must_hold() const { return can_set && held && !may_change; }
};

// Works of a kernel.
struct WorkCount {
  KernelId kernel = 0;
  std::size_t works = 0;
};

struct QueueView {
  MachineLimits limits;
  Nanoseconds now;
  ClockView clocks = {};
  // Whose dependencies have ended: those that run, then the others, each in the order of submission; then the first of
  // each kernel that has none among them.
  std::vector<Candidate> works;
  // Of the same kernels, beside these: those that come after so many, and those that are launched behind others.
  std::vector<WorkCount> later = {};
};

using Policy = std::function<Plan(const QueueView& view, const PairTable& table)>;

struct PolicyOptions {
  Objective objective = {};  // of paired and greedy
  double least_gain = 0.02;  // of a pair over one after the other, below which it does not run as one
  double margin = 0.05;      // by which another pair must be better than the one that runs
  // Kernels that run alone for longer do so in a form that gives way to an arrival; others run whole, which costs less.
  Nanoseconds longest_whole = nanoseconds_from_ms(2);
  // A work that has waited for so many times what it takes alone goes before those that have not; 0: never.
  double patience = 0.0;
  unsigned most_streams = 16;  // in use at once (streams, priority)
  unsigned slices_in_flight = 2;
  model::PruningThresholds pruning = {};  // of Kernelet
  std::uint64_t seed = 1;                 // of the random schedule
};

// What a policy's forecasts are about.
enum class ForecastKind {
  none,
  balanced_ratio,  // chain_forecaster, RatioRule::balanced
  best_ratio,      // residency_forecaster; or the best split, where what shares is persistent
  split,           // split_forecaster
};

struct PolicyTraits {
  std::string_view name;
  std::string_view explanation;
  ForecastKind forecasts = ForecastKind::none;
  Form form = Form::persistent;  // in which pairs share SMs
  bool heeds_objective = false;
};

// fifo, streams, priority, split, orion, kernelet, greedy, random, paired (the default).
const std::vector<PolicyTraits>& policies();
// not_found, with the nearest name.
Result<Policy> find_policy(std::string_view name, const PolicyOptions& options = {});

}  // namespace wattune::schedule
