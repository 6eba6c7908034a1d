// IdlePower: the power of a board with a context and nothing to do, which depends on its clocks.
//
// Without a setting, the result of the board's characterisation is used. Each other setting is measured once in a
// session, which takes a second and a half.
//
//   WATTUNE_ASSIGN(const power::Measured<Watts> idle, idle_power.at(clocks.applied(), *recorder));
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::tune {

class IdlePower {
 public:
  // Returns the idle power at this setting, which the board has now; nullopt stands for the board's own clocks.
  // Precondition: nothing runs, and this process has a context. Fails as power::measure_idle() does.
  Result<power::Measured<Watts>> at(const std::optional<backend::BoardSetting>& setting, power::Recorder& recorder);

 private:
  using Clocks = std::pair<std::optional<Megahertz>, std::optional<Megahertz>>;  // clocks of core and memory

  std::vector<std::pair<Clocks, power::Measured<Watts>>> known_;
};

}  // namespace wattune::tune
