// What is known of a pair that has run: short pilot runs at every ratio.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "schedule/joint_run.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::schedule {

namespace {

// A pilot runs for so many waves alone of the kernel whose waves take longer, and no less, as shorter runs are mostly
// beginning and end.
constexpr double kWaves = 8.0;
constexpr Nanoseconds kLeastPilot = nanoseconds_from_ms(2);

struct PilotKernel {
  KernelId id = 0;
  const KernelTraits* traits = nullptr;
};

Result<PilotKernel> find_by_name(const Machine& machine, const std::string& name) {
  for (KernelId id = 0; const KernelTraits* traits = machine.kernel(id); ++id) {
    if (traits->name != name) continue;
    if (traits->alone > Nanoseconds(0)) return PilotKernel{id, traits};
    return Error(ErrorCode::invalid_argument, "what it takes alone is unknown").about(name).hint("profile() it first");
  }
  return Error(ErrorCode::not_found, "no such kernel to measure").about(name);
}

Nanoseconds waves_time(const Machine& machine, const KernelTraits& kernel) {
  const double wave = static_cast<double>(std::max(1U, kernel.profile.blocks_alone)) * machine.limits().sms;
  return kernel.alone * std::min(1.0, kWaves * wave / static_cast<double>(kernel.blocks));
}

Nanoseconds pilot_time(const Machine& machine, const std::array<PilotKernel, 2>& pair) {
  return std::max({kLeastPilot, waves_time(machine, *pair[0].traits), waves_time(machine, *pair[1].traits)});
}

// Again and again, so that it never leaves the other alone.
Party pilot_party(const Machine& machine, const PilotKernel& kernel, unsigned per_sm, Form form, Nanoseconds time) {
  Party party = shared_party(machine, kernel.id, per_sm);
  if (form == Form::slices)
    party = {.kernel = kernel.id,
             .form = Form::slices,
             .slice_blocks = static_cast<std::uint64_t>(per_sm) * machine.limits().sms};
  party.repetitions = 1 + static_cast<std::size_t>(std::ceil(time / kernel.traits->alone));
  return party;
}

// Work alone for what ran, over the time that it took.
double rate_of(const PartyRun& run, const KernelTraits& kernel) {
  if (run.blocks == 0) return 0.0;
  return static_cast<double>(run.blocks) / static_cast<double>(kernel.blocks) * kernel.alone / run.time();
}

Result<PairForecast> run_pilot(Machine& machine, const std::array<PilotKernel, 2>& pair, model::BlockRatio ratio,
                               Form form) {
  const Nanoseconds time = pilot_time(machine, pair);
  const std::array parties = {pilot_party(machine, pair[0], ratio.first, form, time),
                              pilot_party(machine, pair[1], ratio.second, form, time)};
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, parties, {.stop_after = time}));
  return PairForecast{.ratio = ratio,
                      .rates = {rate_of(run.parties[0], *pair[0].traits), rate_of(run.parties[1], *pair[1].traits)},
                      .watts = watts_of(*pair[0].traits, *pair[1].traits)};
}

Result<PairForecast> best_pilot(Machine& machine, const std::string& first, const std::string& second, Form form,
                                const Objective& objective) {
  WATTUNE_ASSIGN(const PilotKernel one, find_by_name(machine, first));
  WATTUNE_ASSIGN(const PilotKernel other, find_by_name(machine, second));
  WATTUNE_ASSIGN(const auto ratios, ratios_of(machine, one.id, other.id));
  PairForecast best;
  for (const model::BlockRatio& ratio : ratios) {
    WATTUNE_ASSIGN(const PairForecast measured, run_pilot(machine, {one, other}, ratio, form));
    if (is_better(objective, measured, best)) best = measured;
  }
  return best;
}

}  // namespace

Forecaster measured_forecaster(Machine& machine, Form form, const Objective& objective) {
  return [&machine, form, objective](const KernelTraits& first, const KernelTraits& second) {
    return best_pilot(machine, first.name, second.name, form, objective);
  };
}

}  // namespace wattune::schedule
