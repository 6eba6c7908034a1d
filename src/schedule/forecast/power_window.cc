#include "schedule/forecast/power_window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "schedule/interface/joint_run.h"
#include "schedule/machine/counter_span.h"

namespace wattune::inline v0_1::schedule {

namespace {

std::size_t times_in(Nanoseconds window, Nanoseconds once) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(window / once)));
}

Result<Watts> power_of(Machine& machine, std::span<const Party> parties, const JointRunOptions& options = {}) {
  const Nanoseconds begin = machine.now();
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, parties, options));
  return run.power.value_or(run.energy.value_or(Joules()) / (machine.now() - begin));
}

}  // namespace

Error no_energy() {
  return Error(ErrorCode::unavailable, "the board reports no energy, so that nothing can be chosen by joules or watts")
      .hint("the objective `throughput` without a power cap needs neither");
}

// Waits until the window has passed, and reads the energy counter about 1,000 times. On a machine with real time,
// wait() may return early.
Watts idle_for(Machine& machine, Nanoseconds window) {
  constexpr double kReadingsPerWindow = 1000.0;
  const Nanoseconds begin = machine.now();
  const auto counted = [&] { return machine.energy().value_or(Joules()); };
  const Joules before = counted();
  CounterSpan counter(begin, before);
  while (machine.now() < begin + window) {
    machine.wait(std::min(begin + window, machine.now() + window / kReadingsPerWindow));
    counter.note(machine.now(), counted());
  }
  return counter.power().value_or((counted() - before) / (machine.now() - begin));
}

Result<Watts> run_for(Machine& machine, KernelId kernel, Nanoseconds window) {
  const Party party{.kernel = kernel, .repetitions = times_in(window, *machine.kernel(kernel)->alone)};
  return power_of(machine, {&party, 1});
}

Result<Watts> run_twin_for(Machine& machine, KernelId kernel, unsigned per_sm, double speed, Nanoseconds window) {
  Party party = shared_party(machine, kernel, per_sm);
  party.repetitions = times_in(window, *machine.kernel(kernel)->alone / speed);
  return power_of(machine, {&party, 1});
}

Result<Watts> run_both_for(Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape,
                           Nanoseconds window) {
  auto parties = parties_of(machine, pair, shape);
  for (Party& party : parties) party.repetitions = std::numeric_limits<std::size_t>::max();
  return power_of(machine, parties, {.stop_after = window});
}

}  // namespace wattune::schedule
