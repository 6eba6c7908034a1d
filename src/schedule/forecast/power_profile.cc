#include "schedule/interface/power_profile.h"

#include "schedule/forecast/power_window.h"
#include "schedule/policy/pair_ways.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the power of the kernel's persistent twin; nullopt if policies would not run the twin instead of the kernel.
Result<std::optional<Watts>> power_of_twin(Machine& machine, KernelId kernel, Nanoseconds window) {
  const KernelTraits& traits = *machine.kernel(kernel);
  const Residency best = best_residency(traits);
  if (!traits.persistent || best.speed < 1.0 + PolicyOptions().least_gain) return std::optional<Watts>();
  WATTUNE_TRY(run_twin_for(machine, kernel, best.per_sm, best.speed, window));
  WATTUNE_ASSIGN(const Watts power, run_twin_for(machine, kernel, best.per_sm, best.speed, window));
  return std::optional(power);
}

Result<PowerTraits> power_of(Machine& machine, KernelId kernel, Nanoseconds window, Watts idle) {
  if (!machine.kernel(kernel)->alone)
    return Error(ErrorCode::invalid_argument, "the time of this kernel alone is unknown")
        .about(machine.kernel(kernel)->name)
        .hint("profile() it first");
  WATTUNE_TRY(run_for(machine, kernel, window));
  WATTUNE_ASSIGN(const Watts alone, run_for(machine, kernel, window));
  if (!(alone > Watts(0))) return no_energy();
  WATTUNE_ASSIGN(const std::optional<Watts> twin, power_of_twin(machine, kernel, window));
  return PowerTraits{.alone = alone, .idle = idle, .twin = twin};
}

}  // namespace

Result<std::vector<PowerTraits>> profile_power(Machine& machine, Nanoseconds window) {
  std::vector<PowerTraits> powers;
  std::vector<KernelId> unknown;
  for (KernelId kernel = 0; machine.kernel(kernel) != nullptr; ++kernel) {
    const std::optional<PowerTraits>& known = machine.kernel(kernel)->power;
    powers.push_back(known.value_or(PowerTraits()));
    if (!known) unknown.push_back(kernel);
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

Result<void> measure_pair_power(Machine& machine, Nanoseconds window, const Objective& objective, PairTable& table,
                                const std::atomic<bool>* cancel) {
  for (KernelId first = 0; machine.kernel(first) != nullptr; ++first)
    for (KernelId second = first + 1; machine.kernel(second) != nullptr; ++second) {
      const auto forecast = table.find(first, second);
      if (!forecast || !forecast->watts || merit(objective, *forecast).value_or(0.0) <= 1.0) continue;
      if (cancel != nullptr && *cancel) return Error(ErrorCode::cancelled, "measuring pairs was ended by its user");
      WATTUNE_TRY(run_both_for(machine, {first, second}, forecast->shape(), window));
      WATTUNE_ASSIGN(const Watts measured, run_both_for(machine, {first, second}, forecast->shape(), window));
      table.observe_power(first, second, {.forecast = forecast->power(), .measured = measured});
    }
  return {};
}

}  // namespace wattune::schedule
