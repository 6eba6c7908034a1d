#include "schedule/interface/profile.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "core/median.h"
#include "schedule/interface/joint_run.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kAsFast = 0.98;  // share of its speed on all SMs at which a kernel counts as saturated

Result<Nanoseconds> median_time(Machine& machine, const Party& party, std::size_t rounds) {
  std::vector<double> times;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, rounds); ++i) {
    WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, {&party, 1}));
    times.push_back(run.makespan().value());
  }
  return Nanoseconds(median_of(times));
}

// Returns the mean time of a launch in two lanes that run the kernel twice each. Only the last two launches count,
// because one of the first two may have had all SMs at first.
Result<Nanoseconds> overlapped_time(Machine& machine, KernelId kernel) {
  const Party lane{.kernel = kernel, .repetitions = 2};
  const std::array lanes = {lane, lane};
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, lanes));
  std::vector<Nanoseconds> ends;
  for (const PartyRun& party : run.parties)
    for (const PartyLaunch& launch : party.launches) ends.push_back(launch.end);
  std::ranges::sort(ends);
  return (ends[3] - ends[1]) / 2.0;
}

Result<double> overlapped_speed(Machine& machine, KernelId kernel, Nanoseconds alone, std::size_t rounds) {
  std::vector<double> times;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, rounds); ++i) {
    WATTUNE_ASSIGN(const Nanoseconds time, overlapped_time(machine, kernel));
    times.push_back(time.value());
  }
  return std::max(1.0, alone.value() / median_of(times));
}

// The speeds of a persistent twin. `rates` is empty if the twin with all its resident blocks is too slow compared with
// the kernel.
struct TwinProfile {
  double speed = 1.0;         // speed with all resident blocks, divided by the speed of the kernel
  std::vector<double> rates;  // speeds with 1, 2 ... resident blocks, divided by the speed with all
};

Result<TwinProfile> profile_twin(Machine& machine, KernelId kernel, Nanoseconds whole, const ProfileOptions& options) {
  std::vector<double> rates;
  for (unsigned per_sm = 1; per_sm <= machine.kernel(kernel)->profile.blocks_alone; ++per_sm) {
    const Party party{.kernel = kernel, .form = Form::persistent, .per_sm = per_sm};
    WATTUNE_ASSIGN(const Nanoseconds time, median_time(machine, party, options.rounds));
    rates.push_back(1.0 / time.value());
  }
  const double of_all = rates.back();
  const double speed = of_all * whole.value();
  if (speed < 1.0 / (1.0 + options.twin_overhead)) return TwinProfile();
  for (double& rate : rates) rate /= of_all;
  return TwinProfile{speed, std::move(rates)};
}

// Returns the speeds on the splits of a binary search for the fewest SMs on which the kernel is as fast as on all SMs.
// The search assumes that the speed grows with the number of SMs.
Result<std::vector<SpeedOnSms>> speeds_on_sms(Machine& machine, KernelId kernel, Nanoseconds on_all,
                                              std::size_t rounds) {
  const std::vector<unsigned> splits = splits_of(machine.limits());
  std::vector<SpeedOnSms> speeds = {SpeedOnSms{machine.limits().sms, 1.0}};
  std::size_t enough = splits.size();  // index into `splits` of the fewest SMs that suffice; the end for all SMs
  for (std::size_t fewer = 0; fewer < enough;) {
    const std::size_t half = fewer + (enough - fewer) / 2;
    WATTUNE_ASSIGN(const Nanoseconds time, median_time(machine, {.kernel = kernel, .sms = {0, splits[half]}}, rounds));
    speeds.push_back(SpeedOnSms{splits[half], on_all / time});
    if (speeds.back().speed >= kAsFast)
      enough = half;
    else
      fewer = half + 1;
  }
  std::ranges::sort(speeds, {}, &SpeedOnSms::sms);
  return speeds;
}

// Returns the smallest share of all SMs on which the kernel is as fast as on all. Precondition: the last element of
// `speeds` is for all SMs.
double saturating_share(const std::vector<SpeedOnSms>& speeds) {
  const auto enough = std::ranges::find_if(speeds, [](const SpeedOnSms& on) { return on.speed >= kAsFast; });
  return static_cast<double>(enough->sms) / speeds.back().sms;
}

// Returns the smallest slice whose overhead is at most options.slicing_overhead. Tries one block for each SM, then
// twice as many each time.
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
    return Error(ErrorCode::not_found, "the machine has no kernel of this number").about(std::to_string(kernel));
  const Party party{.kernel = kernel};
  WATTUNE_TRY(run_jointly(machine, {&party, 1}));
  return median_time(machine, party, rounds);
}

Result<KernelTraits> profile(Machine& machine, KernelId kernel, const ProfileOptions& options) {
  WATTUNE_ASSIGN(const Nanoseconds alone, time_alone(machine, kernel, options.rounds));
  KernelTraits traits = *machine.kernel(kernel);
  traits.alone = alone;
  WATTUNE_ASSIGN(traits.overlapped_speed, overlapped_speed(machine, kernel, alone, options.rounds));
  if (options.residency && traits.persistent) {
    WATTUNE_ASSIGN(TwinProfile twin, profile_twin(machine, kernel, alone, options));
    traits.twin_speed = twin.speed;
    traits.rate_at_residency = std::move(twin.rates);
    traits.persistent = !traits.rate_at_residency.empty();
  }
  if (options.ranges && !splits_of(machine.limits()).empty()) {
    WATTUNE_ASSIGN(traits.speed_on_sms, speeds_on_sms(machine, kernel, alone, options.rounds));
    traits.saturating_share = saturating_share(traits.speed_on_sms);
  }
  if (options.slices && traits.sliceable) {
    WATTUNE_ASSIGN(traits.least_slice, least_slice(machine, kernel, alone, options));
  }
  return traits;
}

}  // namespace wattune::schedule
