#include "tune/interface/idle_power.h"

#include <algorithm>

#include "wattune/power/energy.h"

namespace wattune::inline v0_1::tune {

Result<power::Measured<Watts>> IdlePower::at(const std::optional<backend::BoardSetting>& setting,
                                             power::Recorder& recorder) {
  const Clocks clocks = setting ? Clocks{setting->graphics, setting->memory} : Clocks();
  const std::optional<power::Measured<Watts>> characterised = recorder.context_idle();
  if (clocks == Clocks() && characterised) return *characterised;
  const auto found = std::ranges::find(known_, clocks, &std::pair<Clocks, power::Measured<Watts>>::first);
  if (found != known_.end()) return found->second;
  WATTUNE_ASSIGN(const power::Measured<Watts> idle, power::measure_idle(recorder));
  known_.emplace_back(clocks, idle);
  return idle;
}

}  // namespace wattune::tune
