// StopRule: the rules that end a search. Any rule that is set and met ends the run. A plain value, as Progress is.
//
//   const StopRule stop{.evaluations = 200, .time = nanoseconds_from_seconds(60)};
//   if (const auto reason = stop.reason_to_stop(progress)) return reason->text;
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/uint128.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::search {

// The progress of a search. Resumed Trials count as evaluations, but their time does not count. A Trial that breaks a
// limit of the device, or a constraint that can be tested only after compiling, is skipped and counts as no evaluation
// (Status::constraints).
struct WATTUNE_EXPORT Progress {
  std::uint64_t evaluations = 0;
  std::uint64_t skipped = 0;
  std::uint64_t skipped_in_a_row = 0;
  std::uint64_t since_improvement = 0;  // evaluations since the best improved
  Nanoseconds elapsed;                  // time of this run, by its evaluator's clock
  Uint128 space_size = 0;
  std::optional<double> best_objective;
};

// The causes that end a search: a rule was met, or the search itself came to an end.
enum class StopCause {
  target,          // the target was reached
  evaluations,     // the number of evaluations was reached
  fraction,        // this share of the space was evaluated
  skipped,         // too many configurations in a row were skipped
  no_improvement,  // the best did not improve for so many evaluations
  time,            // the time passed
  whole_space,     // every configuration was evaluated
  no_proposal,     // the strategy has nothing left to propose
  cancelled,
};

// The end of one search.
struct WATTUNE_EXPORT StopReason {
  StopCause cause;
  std::string text;  // text for people, such as "200 evaluations done"

  bool operator==(const StopReason&) const = default;
};

// The rules of one search. A rule that is not set never ends it.
struct WATTUNE_EXPORT StopRule {
  std::optional<std::uint64_t> evaluations;
  std::optional<Nanoseconds> time;
  std::optional<double> target;    // the search stops when the best objective is at or below it, in ns
  std::optional<double> fraction;  // share of the space to evaluate, in (0, 1]
  std::optional<std::uint64_t> no_improvement;

  // Checks the rules. Fails with invalid_argument if the fraction is outside (0, 1], if a time or target is negative,
  // or if a number of evaluations is 0.
  Result<void> validate() const;
  // Returns why to stop, or nullopt. If a rule counts evaluations, 10,000 skipped configurations in a row also stop the
  // search, because there may be no valid ones left.
  std::optional<StopReason> reason_to_stop(const Progress& progress) const;
  // Returns how many evaluations the rules on evaluations and fraction leave at most; nullopt without such a rule.
  std::optional<std::uint64_t> evaluations_left(const Progress& progress) const;
};

}  // namespace wattune::search
