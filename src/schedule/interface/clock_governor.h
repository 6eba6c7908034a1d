// ClockGovernor: sets the clocks that plans ask for, only as often as switching pays, and restores the board's own
// clocks.
//
// Switching takes a board up to a third of a second, in which it may run at either clock. Clocks that were set are
// therefore held for a while. After the first refusal the governor restores all clocks and sets none again. The control
// (power::borrow_clocks(), or that of a simulated board) must outlive the governor. Only one thread at a time may use
// the governor.
//
//   schedule::ClockGovernor governor(lease.get());
//   governor.ask(plan.clocks, machine.now());
//   if (const auto& refusal = governor.refusal()) print(refusal->to_string());
#pragma once

#include <optional>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::schedule {

using Clocks = backend::BoardSetting;

class ClockGovernor {
 public:
  // Borrows the control; with nullptr the board keeps its own clocks and nothing is ever set.
  explicit ClockGovernor(backend::ClockControl* control, Nanoseconds hold = nanoseconds_from_seconds(1))
      : control_(control), hold_(hold) {}
  ~ClockGovernor() { restore(); }
  ClockGovernor(const ClockGovernor&) = delete;
  ClockGovernor& operator=(const ClockGovernor&) = delete;

  bool can_set() const { return control_ != nullptr && !refusal_; }
  // Returns the clocks that are set; nullopt if the board has its own.
  const std::optional<Clocks>& held() const { return held_; }
  bool may_change(Nanoseconds now) const { return now >= changeable_at_; }
  // Returns when to call ask() again at the latest. By then the clocks that were asked for last may be set, or the
  // lease of the board must be renewed. Returns nullopt if no clocks can be set or none were asked for.
  std::optional<Nanoseconds> due() const;

  // Sets these clocks if the present ones have been held for long enough. With nullopt, the previous request still
  // holds.
  void ask(const std::optional<Clocks>& wanted, Nanoseconds now);
  // Restores the board's own clocks. A failure becomes the refusal.
  void restore();
  // Returns why no clocks are set any more, in one line; nullopt if nothing was refused.
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
