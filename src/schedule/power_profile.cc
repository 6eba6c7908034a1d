#include "wattune/schedule/power_profile.h"

#include <algorithm>
#include <cmath>

#include "schedule/joint_run.h"
#include "schedule/power_window.h"

namespace wattune::schedule {

Error no_energy() {
  return Error(ErrorCode::unavailable, "the board tells no energy, so nothing can be chosen by its joules or watts")
      .hint("the objective throughput without a cap needs neither");
}

// In virtual time it passes; else wait() returns at that moment, or is waked up earlier.
Watts idle_for(Machine& machine, Nanoseconds window) {
  const Nanoseconds begin = machine.now();
  const Joules before = machine.energy();
  while (machine.now() < begin + window) machine.wait(begin + window);
  return (machine.energy() - before) / (machine.now() - begin);
}

Result<Watts> run_for(Machine& machine, KernelId kernel, Nanoseconds window) {
  const double times = std::ceil(window / machine.kernel(kernel)->alone);
  const Party party{.kernel = kernel, .repetitions = static_cast<std::size_t>(std::max(1.0, times))};
  const Nanoseconds begin = machine.now();
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, {&party, 1}));
  return run.energy / (machine.now() - begin);
}

namespace {

Result<PowerTraits> power_of(Machine& machine, KernelId kernel, Nanoseconds window, Watts idle) {
  if (!(machine.kernel(kernel)->alone > Nanoseconds(0)))
    return Error(ErrorCode::invalid_argument, "what it takes alone is unknown")
        .about(machine.kernel(kernel)->name)
        .hint("profile() it first");
  WATTUNE_TRY(run_for(machine, kernel, window));
  WATTUNE_ASSIGN(const Watts alone, run_for(machine, kernel, window));
  return PowerTraits{.alone = alone, .idle = idle};
}

}  // namespace

Result<std::vector<PowerTraits>> profile_power(Machine& machine, Nanoseconds window) {
  std::vector<PowerTraits> powers;
  std::vector<KernelId> unknown;
  for (KernelId kernel = 0; machine.kernel(kernel) != nullptr; ++kernel) {
    powers.push_back(machine.kernel(kernel)->power);
    if (!powers.back().known()) unknown.push_back(kernel);
  }
  if (unknown.empty()) return powers;
  idle_for(machine, window);
  const Watts idle = idle_for(machine, window);
  if (!(idle > Watts(0))) return no_energy();
  for (const KernelId kernel : unknown) {
    WATTUNE_ASSIGN(powers[kernel], power_of(machine, kernel, window, idle));
  }
  return powers;
}

}  // namespace wattune::schedule
