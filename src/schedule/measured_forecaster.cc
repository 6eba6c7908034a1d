// What is known of a pair that has run: short pilot runs at every ratio.
#include <algorithm>
#include <array>
#include <string>

#include "schedule/joint_run.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::schedule {

namespace {

constexpr double kWaves =
    8.0;  // of resident blocks alone, of the kernel whose waves take longer, for which a pilot runs

struct PilotKernel {
  KernelId id = 0;
  const KernelTraits* traits = nullptr;
};

Result<PilotKernel> find_by_name(const Machine& machine, const std::string& name) {
  for (KernelId id = 0; const KernelTraits* traits = machine.kernel(id); ++id)
    if (traits->name == name) return PilotKernel{id, traits};
  return Error(ErrorCode::not_found, "no such kernel to measure").about(name);
}

Nanoseconds pilot_time(const Machine& machine, const KernelTraits& kernel) {
  const double wave = static_cast<double>(std::max(1U, kernel.profile.blocks_alone)) * machine.limits().sms;
  return kernel.alone * std::min(1.0, kWaves * wave / static_cast<double>(kernel.blocks));
}

Party pilot_party(const Machine& machine, KernelId kernel, unsigned per_sm, Form form) {
  if (form != Form::slices) return shared_party(machine, kernel, per_sm);
  return {.kernel = kernel,
          .form = Form::slices,
          .slice_blocks = static_cast<std::uint64_t>(per_sm) * machine.limits().sms};
}

// Work alone for what ran, over the time that it took.
double rate_of(const PartyRun& run, const KernelTraits& kernel) {
  if (run.blocks == 0) return 0.0;
  return static_cast<double>(run.blocks) / static_cast<double>(kernel.blocks) * kernel.alone / run.time();
}

Result<PairForecast> run_pilot(Machine& machine, const std::array<PilotKernel, 2>& pair, model::BlockRatio ratio,
                               Form form) {
  const std::array parties = {pilot_party(machine, pair[0].id, ratio.first, form),
                              pilot_party(machine, pair[1].id, ratio.second, form)};
  const Nanoseconds time = std::max(pilot_time(machine, *pair[0].traits), pilot_time(machine, *pair[1].traits));
  WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, parties, {.stop_after = time, .stop_with_first = true}));
  return PairForecast{.ratio = ratio,
                      .rates = {rate_of(run.parties[0], *pair[0].traits), rate_of(run.parties[1], *pair[1].traits)}};
}

Result<PairForecast> best_pilot(Machine& machine, const std::string& first, const std::string& second, Form form) {
  WATTUNE_ASSIGN(const PilotKernel one, find_by_name(machine, first));
  WATTUNE_ASSIGN(const PilotKernel other, find_by_name(machine, second));
  WATTUNE_ASSIGN(const auto ratios, ratios_of(machine, one.id, other.id));
  PairForecast best;
  for (const model::BlockRatio& ratio : ratios) {
    WATTUNE_ASSIGN(const PairForecast measured, run_pilot(machine, {one, other}, ratio, form));
    if (measured.speedup() > best.speedup()) best = measured;
  }
  return best;
}

}  // namespace

Forecaster measured_forecaster(Machine& machine, Form form) {
  return [&machine, form](const KernelTraits& first, const KernelTraits& second) {
    return best_pilot(machine, first.name, second.name, form);
  };
}

}  // namespace wattune::schedule
