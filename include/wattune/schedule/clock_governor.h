// ClockGovernor: sets the clocks that plans ask for, no more often than pays, and gives them back.
//
// Switching takes a board up to a third of a second, in which neither the old nor the new clock is sure, so that what
// is set is held for a while. A set that is refused ends it: all is restored, and the board has its own clocks from
// then on. Whose control it is (power::borrow_clocks(), a simulated board's) outlives it; one thread at a time.
//
//   schedule::ClockGovernor governor(lease.get());
//   governor.ask(plan.clocks, machine.now());
//   if (const auto& refusal = governor.refusal()) print(refusal->to_string());
#pragma once

#include <optional>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::schedule {

using Clocks = backend::BoardSetting;

class ClockGovernor {
 public:
  // nullptr: the board has its own clocks, and nothing is ever set.
  explicit ClockGovernor(backend::ClockControl* control, Nanoseconds hold = nanoseconds_from_seconds(1))
      : control_(control), hold_(hold) {}
  ~ClockGovernor() { restore(); }
  ClockGovernor(const ClockGovernor&) = delete;
  ClockGovernor& operator=(const ClockGovernor&) = delete;

  bool can_set() const { return control_ != nullptr && !refusal_; }
  // What is set; none: the board's own.
  const std::optional<Clocks>& held() const { return held_; }
  bool may_change(Nanoseconds now) const { return now >= changeable_at_; }
  // When to ask() again at the latest: what was asked for last and is not set may be then, or the lender of the board
  // wants a sign of life. None: the board has its own clocks.
  std::optional<Nanoseconds> due() const;

  // Sets these, if what is set has been held for long enough; none: what was asked for before still holds.
  void ask(const std::optional<Clocks>& wanted, Nanoseconds now);
  // Gives back what was set. What fails is a refusal.
  void restore();
  // Why nothing is set any more, in one line.
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  void set(const Clocks& wanted, Nanoseconds now);
  Result<void> give_back();

  backend::ClockControl* control_;
  Nanoseconds hold_;
  std::optional<Clocks> held_;
  std::optional<Clocks> wanted_;
  Nanoseconds changeable_at_;
  Nanoseconds told_at_;
  std::optional<Error> refusal_;
};

}  // namespace wattune::schedule
