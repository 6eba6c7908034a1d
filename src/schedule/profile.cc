#include "wattune/schedule/profile.h"

#include <algorithm>
#include <utility>

#include "core/median.h"
#include "schedule/joint_run.h"

namespace wattune::schedule {

namespace {

constexpr double kAsFast = 0.98;  // of its speed on all SMs, at which a kernel counts as saturated
constexpr unsigned kSteps = 16;   // of a machine's SMs, in which the saturating share is sought

Result<Nanoseconds> median_time(Machine& machine, const Party& party, std::size_t rounds) {
  std::vector<double> times;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, rounds); ++i) {
    WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, {&party, 1}));
    times.push_back(run.makespan().value());
  }
  return Nanoseconds(median_of(times));
}

Result<std::vector<double>> rates_at_residency(Machine& machine, KernelId kernel, std::size_t rounds) {
  std::vector<double> rates;
  for (unsigned per_sm = 1; per_sm <= machine.kernel(kernel)->profile.blocks_alone; ++per_sm) {
    const Party party{.kernel = kernel, .form = Form::persistent, .per_sm = per_sm};
    WATTUNE_ASSIGN(const Nanoseconds time, median_time(machine, party, rounds));
    rates.push_back(1.0 / time.value());
  }
  for (double& rate : rates) rate /= rates.back();
  return rates;
}

// By halving: speed grows with SMs.
Result<double> saturating_share(Machine& machine, KernelId kernel, Nanoseconds on_all, std::size_t rounds) {
  const MachineLimits& limits = machine.limits();
  const unsigned step = std::max(limits.split_grain, limits.sms / kSteps);
  unsigned too_few = 0;
  unsigned enough = limits.sms;
  while (enough - too_few > step) {
    const unsigned half = too_few + (enough - too_few) / 2;
    const unsigned sms = std::max(too_few + limits.split_grain, half / limits.split_grain * limits.split_grain);
    WATTUNE_ASSIGN(const Nanoseconds time, median_time(machine, {.kernel = kernel, .sms = {0, sms}}, rounds));
    (on_all / time >= kAsFast ? enough : too_few) = sms;
  }
  return static_cast<double>(enough) / limits.sms;
}

// From one block on each SM on, doubled until it costs little enough.
Result<std::uint64_t> least_slice(Machine& machine, KernelId kernel, Nanoseconds whole, const ProfileOptions& options) {
  const std::uint64_t blocks = machine.kernel(kernel)->blocks;
  for (std::uint64_t slice = machine.limits().sms; slice < blocks; slice *= 2) {
    const Party party{.kernel = kernel, .form = Form::slices, .slice_blocks = slice};
    WATTUNE_ASSIGN(const Nanoseconds time, median_time(machine, party, options.rounds));
    if (time / whole - 1.0 <= options.slicing_overhead) return slice;
  }
  return blocks;
}

}  // namespace

Result<Nanoseconds> time_alone(Machine& machine, KernelId kernel, std::size_t rounds) {
  if (machine.kernel(kernel) == nullptr)
    return Error(ErrorCode::not_found, "no such kernel on this machine").about(std::to_string(kernel));
  const Party party{.kernel = kernel};
  WATTUNE_TRY(run_jointly(machine, {&party, 1}));
  return median_time(machine, party, rounds);
}

Result<KernelTraits> profile(Machine& machine, KernelId kernel, const ProfileOptions& options) {
  WATTUNE_ASSIGN(const Nanoseconds alone, time_alone(machine, kernel, options.rounds));
  KernelTraits traits = *machine.kernel(kernel);
  traits.alone = alone;
  if (options.residency && traits.persistent) {
    WATTUNE_ASSIGN(traits.rate_at_residency, rates_at_residency(machine, kernel, options.rounds));
  }
  if (options.ranges && has_ranges(machine.limits())) {
    WATTUNE_ASSIGN(traits.saturating_share, saturating_share(machine, kernel, alone, options.rounds));
  }
  if (options.slices && traits.sliceable) {
    WATTUNE_ASSIGN(traits.least_slice, least_slice(machine, kernel, alone, options));
  }
  return traits;
}

}  // namespace wattune::schedule
