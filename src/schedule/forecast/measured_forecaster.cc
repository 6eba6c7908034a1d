// Forecasts a pair by running it for a short time in every way. Such a run is called a pilot.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "schedule/interface/joint_run.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The length of a pilot: kPilotWaves waves of the kernel with the longer waves, and at least kShortestPilot, because
// shorter runs consist mostly of their beginning and end. A pilot is extended until kLeastPilotGrids grids of each
// kernel have run beside the other kernel, but not beyond kLongestPilot. Whole grids are needed, because blocks of one
// grid may differ, and the pause between two grids is part of the speed.
constexpr double kPilotWaves = 8.0;
constexpr std::size_t kLeastPilotGrids = 2;
constexpr Nanoseconds kShortestPilot = nanoseconds_from_ms(2);
constexpr Nanoseconds kLongestPilot = nanoseconds_from_ms(20);
// The longest pilot of a whole launch, which cannot be stopped.
constexpr Nanoseconds kLongestWholePilot = nanoseconds_from_ms(10);
constexpr std::size_t kMostWholeSplits = 4;  // most splits that are measured with whole kernels

struct PilotKernel {
  KernelId id = 0;
  const KernelTraits* traits = nullptr;
};

Result<PilotKernel> find_by_name(const Machine& machine, const std::string& name) {
  for (KernelId id = 0; const KernelTraits* traits = machine.kernel(id); ++id) {
    if (traits->name != name) continue;
    if (traits->alone) return PilotKernel{id, traits};
    return Error(ErrorCode::invalid_argument, "the time of this kernel alone is unknown")
        .about(name)
        .hint("profile() it first");
  }
  return Error(ErrorCode::not_found, "the machine has no kernel of this name").about(name);
}

Nanoseconds pilot_time(const Machine& machine, const KernelTraits& kernel) {
  const double wave = static_cast<double>(std::max(1U, kernel.profile.blocks_alone)) * machine.limits().sms;
  const Nanoseconds waves = *kernel.alone * std::min(1.0, kPilotWaves * wave / static_cast<double>(kernel.blocks));
  return std::max(kShortestPilot, waves);
}

// Returns a party that runs the kernel in this form with this many blocks on each SM.
Party on_each_sm(const Machine& machine, KernelId kernel, unsigned per_sm, Form form) {
  return form == Form::slices ? sliced_party(machine, kernel, per_sm) : shared_party(machine, kernel, per_sm);
}

// Returns the speeds of both kernels while both ran, divided by their speeds alone. Blocks that ran before or after the
// other kernel do not count, because they had the GPU to themselves.
std::array<double, 2> rates_together(const JointRun& run, const std::array<PilotKernel, 2>& pair) {
  const Nanoseconds together = run.first_end() - run.all_begun();
  std::array<double, 2> rates = {};
  for (std::size_t i = 0; i < 2 && together > Nanoseconds(0); ++i) {
    const double blocks = run.parties[i].blocks_between(run.all_begun(), run.first_end());
    rates[i] = blocks / static_cast<double>(pair[i].traits->blocks) * (*pair[i].traits->alone / together);
  }
  return rates;
}

// Runs both kernels again and again, so that each always runs beside the other. `pilot` describes the way in which they
// run, and is returned with their speeds.
Result<PairForecast> run_pilot(Machine& machine, const std::array<PilotKernel, 2>& pair, std::array<Party, 2> parties,
                               PairForecast pilot) {
  const Nanoseconds time = std::max(pilot_time(machine, *pair[0].traits), pilot_time(machine, *pair[1].traits));
  const Nanoseconds longest = std::max(time, kLongestPilot);
  for (std::size_t i = 0; i < 2; ++i) parties[i].repetitions = std::numeric_limits<std::size_t>::max();
  WATTUNE_ASSIGN(
      const JointRun run,
      run_jointly(machine, parties, {.stop_after = time, .least_grids = kLeastPilotGrids, .longest = longest}));
  pilot.rates = rates_together(run, pair);
  pilot.watts = watts_of(*pair[0].traits, *pair[1].traits);
  pilot.measured = 1;
  return pilot;
}

Result<void> run_splits(Machine& machine, const std::array<PilotKernel, 2>& pair, std::vector<PairForecast>& ways) {
  for (const unsigned sms : splits_of(machine.limits())) {
    const auto parties = parties_of(machine, {pair[0].id, pair[1].id}, {.sms_of_first = sms});
    // The first launch on a range of SMs sets up resources, which on CUDA may take as long as a pilot.
    WATTUNE_TRY(run_jointly(machine, parties, {.stop_after = Nanoseconds(0)}));
    WATTUNE_ASSIGN(PairForecast measured, run_pilot(machine, pair, parties, {.sms_of_first = sms}));
    ways.push_back(std::move(measured));
  }
  return {};
}

// A split of the SMs at which whole kernels may run, with the speeds expected there.
struct ExpectedSplit {
  unsigned sms_of_first = 0;
  std::array<double, 2> rates = {};
  bool has_run = false;  // true if twins ran at this split, so that its resources exist

  double apart() const { return std::abs(std::log(rates[0] / rates[1])); }
};

// Returns the splits at which each launch is expected to take at most `longest`. The expected speeds are those of the
// twins at the same split. If these are unknown, speeds follow from the share of the SMs on which a kernel is as fast
// as on all.
std::vector<ExpectedSplit> splits_for_whole(const Machine& machine, const std::array<PilotKernel, 2>& pair,
                                            const std::vector<PairForecast>& ways, Nanoseconds longest) {
  constexpr double kLeastRate = 1e-6;
  const double all = machine.limits().sms;
  std::vector<ExpectedSplit> splits;
  for (const unsigned sms : splits_of(machine.limits())) {
    const auto twins = std::ranges::find(ways, PairShape{.sms_of_first = sms}, &PairForecast::shape);
    ExpectedSplit split{.sms_of_first = sms, .has_run = twins != ways.end()};
    const std::array<double, 2> shares = {sms / all, 1.0 - sms / all};
    bool is_short = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const KernelTraits& kernel = *pair[i].traits;
      split.rates[i] = std::max(
          kLeastRate,
          split.has_run ? twins->rates[i] : std::min(1.0, shares[i] / std::max(kLeastRate, kernel.saturating_share)));
      is_short = is_short && *kernel.alone / split.rates[i] <= longest;
    }
    if (is_short) splits.push_back(split);
  }
  return splits;
}

// Measures the whole kernels, not twins, at this split. A whole kernel cannot be stopped. So each kernel runs at least
// twice, and as often as it is expected to run in the time that the longer kernel takes. Launches after the end of the
// other kernel do not count.
Result<PairForecast> run_whole(Machine& machine, const std::array<PilotKernel, 2>& pair, const ExpectedSplit& split) {
  PairForecast whole{.sms_of_first = split.sms_of_first,
                     .whole = true,
                     .watts = watts_of(*pair[0].traits, *pair[1].traits),
                     .measured = 1};
  auto parties = parties_of(machine, {pair[0].id, pair[1].id}, whole.shape());
  if (!split.has_run) WATTUNE_TRY(run_jointly(machine, parties));
  Nanoseconds time = kShortestPilot;
  for (std::size_t i = 0; i < 2; ++i) time = std::max(time, 2.0 * *pair[i].traits->alone / split.rates[i]);
  for (std::size_t i = 0; i < 2; ++i)
    parties[i].repetitions = static_cast<std::size_t>(std::round(time * split.rates[i] / *pair[i].traits->alone));
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, parties));
  whole.rates = rates_together(run, pair);
  return whole;
}

// Measures whole kernels on separate ranges of SMs, which needs no twins. Finds the split at which both are equally
// fast by binary search, which starts at the split where this is expected. The search is valid because a kernel is not
// slower with more SMs.
Result<void> run_whole_splits(Machine& machine, const std::array<PilotKernel, 2>& pair, std::vector<PairForecast>& ways,
                              Nanoseconds longest = kLongestWholePilot) {
  const std::vector<ExpectedSplit> splits = splits_for_whole(machine, pair, ways, longest);
  const auto balanced = std::ranges::min_element(splits, {}, &ExpectedSplit::apart);
  auto place = static_cast<std::size_t>(balanced - splits.begin());
  std::size_t begin = 0;
  std::size_t end = splits.size();
  for (std::size_t runs = 0; begin < end && runs < kMostWholeSplits; ++runs) {
    WATTUNE_ASSIGN(const PairForecast whole, run_whole(machine, pair, splits[place]));
    ways.push_back(whole);
    if (whole.rates[0] > whole.rates[1])
      end = place;
    else
      begin = place + 1;
    place = begin + (end - begin) / 2;
  }
  return {};
}

Result<PairForecast> best_pilot(Machine& machine, const std::string& first, const std::string& second, Form form,
                                const Objective& objective) {
  WATTUNE_ASSIGN(const PilotKernel one, find_by_name(machine, first));
  WATTUNE_ASSIGN(const PilotKernel other, find_by_name(machine, second));
  std::vector<PairForecast> ways;
  if (form == Form::whole) {
    WATTUNE_TRY(run_whole_splits(machine, {one, other}, ways, kForever));
    return best_of(objective, std::move(ways));
  }
  WATTUNE_ASSIGN(const auto ratios, ratios_of(machine, one.id, other.id));
  for (const model::BlockRatio& ratio : ratios) {
    WATTUNE_ASSIGN(PairForecast measured, run_pilot(machine, {one, other},
                                                    {on_each_sm(machine, one.id, ratio.first, form),
                                                     on_each_sm(machine, other.id, ratio.second, form)},
                                                    {.ratio = ratio}));
    // A speed is 0 if one kernel waited for the other, because their blocks do not fit on an SM together although their
    // demands say that they do.
    if (std::min(measured.rates[0], measured.rates[1]) > 0.0) ways.push_back(std::move(measured));
  }
  if (form == Form::persistent && one.traits->persistent && other.traits->persistent)
    WATTUNE_TRY(run_splits(machine, {one, other}, ways));
  if (form == Form::persistent) {
    WATTUNE_TRY(run_whole_splits(machine, {one, other}, ways));
    std::ranges::move(ways_in_streams(*one.traits, *other.traits), std::back_inserter(ways));
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
