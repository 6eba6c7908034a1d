// StopRule: when to stop searching. Any rule that is set and met ends the run. A plain value, as Progress is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wattune/core/result.h"
#include "wattune/core/uint128.h"
#include "wattune/core/units.h"

namespace wattune::search {

// How far the search has come. Resumed Trials count as evaluations, their time does not. A Trial that breaks a limit of
// the device, or a constraint that shows when it is built, is skipped and no evaluation (Status::constraints).
struct Progress {
  std::uint64_t evaluations = 0;
  std::uint64_t skipped = 0;
  std::uint64_t skipped_in_a_row = 0;
  std::uint64_t since_improvement = 0;  // evaluations since the best got better
  Nanoseconds elapsed;                  // of this run, by its evaluator's clock
  Uint128 space_size = 0;
  std::optional<double> best_objective;
};

struct StopRule {
  std::optional<std::uint64_t> evaluations;
  std::optional<Nanoseconds> time;
  std::optional<double> target;    // stop when the best objective (nanoseconds) is at or below
  std::optional<double> fraction;  // of the space, in (0, 1]
  std::optional<std::uint64_t> no_improvement;

  // invalid_argument: a fraction outside (0, 1], a negative time or target.
  Result<void> validate() const;
  // Why to stop ("200 evaluations done"), or nothing. Where evaluations are counted, 10,000 that are skipped in a row
  // stop it too, because there may be no others.
  std::optional<std::string> reason_to_stop(const Progress& progress) const;
  // How many evaluations are left at most, by evaluations and fraction; nullopt without such a rule.
  std::optional<std::uint64_t> evaluations_left(const Progress& progress) const;
};

}  // namespace wattune::search
