// Forecasts from short pilot runs of a pair in every way.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "schedule/interface/joint_run.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::inline v0_1::schedule {

namespace {

// A pilot runs for kPilotWaves waves of the kernel whose waves take longer. It runs at least for kShortestPilot,
// because shorter runs are mostly beginning and end. It also runs until kLeastPilotGrids grids of both have ended, but
// not beyond kLongestPilot. Blocks of one grid may differ, and the loss between two grids belongs to the speed.
constexpr double kPilotWaves = 8.0;
constexpr std::size_t kLeastPilotGrids = 2;
constexpr Nanoseconds kShortestPilot = nanoseconds_from_ms(2);
constexpr Nanoseconds kLongestPilot = nanoseconds_from_ms(20);
constexpr Nanoseconds kLongestWholePilot = nanoseconds_from_ms(10);  // of one whole launch, which nothing stops

struct PilotKernel {
  KernelId id = 0;
  const KernelTraits* traits = nullptr;
};

Result<PilotKernel> find_by_name(const Machine& machine, const std::string& name) {
  for (KernelId id = 0; const KernelTraits* traits = machine.kernel(id); ++id) {
    if (traits->name != name) continue;
    if (traits->alone) return PilotKernel{id, traits};
    return Error(ErrorCode::invalid_argument, "what it takes alone is unknown").about(name).hint("profile() it first");
  }
  return Error(ErrorCode::not_found, "no such kernel to measure").about(name);
}

Nanoseconds pilot_time(const Machine& machine, const KernelTraits& kernel) {
  const double wave = static_cast<double>(std::max(1U, kernel.profile.blocks_alone)) * machine.limits().sms;
  const Nanoseconds waves = *kernel.alone * std::min(1.0, kPilotWaves * wave / static_cast<double>(kernel.blocks));
  return std::max(kShortestPilot, waves);
}

// Returns a party with this many blocks on each SM, in this form.
Party on_each_sm(const Machine& machine, KernelId kernel, unsigned per_sm, Form form) {
  return form == Form::slices ? sliced_party(machine, kernel, per_sm) : shared_party(machine, kernel, per_sm);
}

// Returns the time alone of the work that ran, over the time that it took.
double rate_of(const PartyRun& run, const KernelTraits& kernel) {
  if (run.blocks == 0) return 0.0;
  return static_cast<double>(run.blocks) / static_cast<double>(kernel.blocks) * *kernel.alone / run.time();
}

// Runs both kernels again and again, so that neither leaves the other alone. `pilot` says how they run, and is returned
// with their speeds.
Result<PairForecast> run_pilot(Machine& machine, const std::array<PilotKernel, 2>& pair, std::array<Party, 2> parties,
                               PairForecast pilot) {
  const Nanoseconds time = std::max(pilot_time(machine, *pair[0].traits), pilot_time(machine, *pair[1].traits));
  const Nanoseconds longest = std::max(time, kLongestPilot);
  for (std::size_t i = 0; i < 2; ++i) parties[i].repetitions = std::numeric_limits<std::size_t>::max();
  WATTUNE_ASSIGN(
      const JointRun run,
      run_jointly(machine, parties, {.stop_after = time, .least_ends = kLeastPilotGrids, .longest = longest}));
  for (std::size_t i = 0; i < 2; ++i) pilot.rates[i] = rate_of(run.parties[i], *pair[i].traits);
  pilot.watts = watts_of(*pair[0].traits, *pair[1].traits);
  return pilot;
}

Result<void> run_splits(Machine& machine, const std::array<PilotKernel, 2>& pair, std::vector<PairForecast>& ways) {
  for (const unsigned sms : splits_of(machine.limits())) {
    const auto parties = parties_of(machine, {pair[0].id, pair[1].id}, {.sms_of_first = sms});
    // The first launch on a range sets up its resources, which on CUDA may take as long as a pilot.
    WATTUNE_TRY(run_jointly(machine, parties, {.stop_after = Nanoseconds(0)}));
    WATTUNE_ASSIGN(PairForecast measured, run_pilot(machine, pair, parties, {.sms_of_first = sms}));
    ways.push_back(std::move(measured));
  }
  return {};
}

// Returns the number of launches that had ended by this moment, plus the part of the next one that had passed.
double launches_until(const PartyRun& run, Nanoseconds moment) {
  const auto next = std::ranges::find_if(run.ends, [&](Nanoseconds end) { return end > moment; });
  const auto ended = static_cast<double>(next - run.ends.begin());
  if (next == run.ends.end()) return ended;
  const Nanoseconds begin = next == run.ends.begin() ? run.begin : *(next - 1);
  return ended + std::max(0.0, (moment - begin) / (*next - begin));
}

// Measures the two kernels themselves, not twins, at the split of `twins`. Nothing stops whole kernels, so each runs
// twice or more, as often as its twin would in that time. Launches after the end of the other kernel do not count.
Result<PairForecast> run_whole(Machine& machine, const std::array<PilotKernel, 2>& pair, const PairForecast& twins) {
  Nanoseconds time = kShortestPilot;
  for (std::size_t i = 0; i < 2; ++i) time = std::max(time, 2.0 * *pair[i].traits->alone / twins.rates[i]);
  PairForecast whole{.sms_of_first = twins.sms_of_first, .whole = true, .watts = twins.watts};
  auto parties = parties_of(machine, {pair[0].id, pair[1].id}, whole.shape());
  for (std::size_t i = 0; i < 2; ++i)
    parties[i].repetitions = static_cast<std::size_t>(std::round(time * twins.rates[i] / *pair[i].traits->alone));
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, parties));
  const Nanoseconds earlier = std::min(run.parties[0].end, run.parties[1].end);
  for (std::size_t i = 0; i < 2; ++i)
    whole.rates[i] = launches_until(run.parties[i], earlier) * *pair[i].traits->alone / (earlier - run.begin());
  return whole;
}

// Measures whole kernels on SMs of their own, where they may do better than their twins. Only the splits at which twins
// are closest to equal speed are tried, and only if no launch takes long.
Result<void> run_whole_splits(Machine& machine, const std::array<PilotKernel, 2>& pair,
                              std::vector<PairForecast>& ways) {
  constexpr std::size_t kMostWholeSplits = 4;
  std::vector<PairForecast> splits;
  for (const PairForecast& way : ways) {
    const bool is_short = std::ranges::all_of(std::array{0, 1}, [&](int i) {
      return *pair[i].traits->alone / std::max(way.rates[i], 1e-6) <= kLongestWholePilot;
    });
    if (way.sms_of_first && is_short) splits.push_back(way);
  }
  const auto apart = [](const PairForecast& way) { return std::abs(std::log(way.rates[0] / way.rates[1])); };
  std::ranges::sort(splits, {}, apart);
  splits.resize(std::min(splits.size(), kMostWholeSplits));
  for (const PairForecast& twins : splits) {
    WATTUNE_ASSIGN(PairForecast whole, run_whole(machine, pair, twins));
    ways.push_back(std::move(whole));
  }
  return {};
}

Result<PairForecast> best_pilot(Machine& machine, const std::string& first, const std::string& second, Form form,
                                const Objective& objective) {
  WATTUNE_ASSIGN(const PilotKernel one, find_by_name(machine, first));
  WATTUNE_ASSIGN(const PilotKernel other, find_by_name(machine, second));
  WATTUNE_ASSIGN(const auto ratios, ratios_of(machine, one.id, other.id));
  std::vector<PairForecast> ways;
  for (const model::BlockRatio& ratio : ratios) {
    WATTUNE_ASSIGN(PairForecast measured, run_pilot(machine, {one, other},
                                                    {on_each_sm(machine, one.id, ratio.first, form),
                                                     on_each_sm(machine, other.id, ratio.second, form)},
                                                    {.ratio = ratio}));
    ways.push_back(std::move(measured));
  }
  const bool can_split = form == Form::persistent && one.traits->persistent && other.traits->persistent;
  if (can_split) {
    WATTUNE_TRY(run_splits(machine, {one, other}, ways));
    WATTUNE_TRY(run_whole_splits(machine, {one, other}, ways));
  }
  return best_of(objective, std::move(ways));
}

}  // namespace

Forecaster measured_forecaster(Machine& machine, Form form, const Objective& objective) {
  return [&machine, form, objective](const KernelTraits& first, const KernelTraits& second) {
    return best_pilot(machine, first.name, second.name, form, objective);
  };
}

}  // namespace wattune::schedule
