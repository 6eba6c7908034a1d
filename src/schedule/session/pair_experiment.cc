#include "schedule/session/pair_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/session/pair_plan.h"

namespace wattune::inline v0_1::schedule {

namespace {

bool runs_together(const SweepRow& row) { return row.arrangement.way != Way::in_turn; }

// Compares the outputs of each kernel when it runs alone with its outputs when it runs beside the other kernel, for
// each way.
Result<OutputVerdict> check_outputs(Stage& stage, Machine& machine, const PairSweep& sweep) {
  OutputVerdict verdict;
  const auto both = {sweep.kernels[0], sweep.kernels[1]};
  for (const KernelId kernel : both) {
    if (!stage.outputs()[kernel].are_compared()) verdict.not_compared.push_back(machine.kernel(kernel)->name);
    if (stage.outputs()[kernel].remembers()) continue;
    WATTUNE_TRY(stage.outputs()[kernel].restore());
    WATTUNE_TRY(schedule::run_alone(machine, kernel));
    WATTUNE_TRY(stage.outputs()[kernel].remember());
  }
  for (const SweepRow& row : sweep.rows) {
    if (!runs_together(row) || row.failure) continue;
    for (const KernelId kernel : both) WATTUNE_TRY(stage.outputs()[kernel].restore());
    WATTUNE_TRY(schedule::run_pair(machine, sweep.kernels, row.arrangement));
    ++verdict.compared;
    for (const KernelId kernel : both) {
      WATTUNE_ASSIGN(const auto difference, stage.outputs()[kernel].difference());
      if (difference)
        verdict.differences.push_back(fmt::format("{}, {}: {}", machine.kernel(kernel)->name,
                                                  describe(row.arrangement, machine.limits()), *difference));
    }
  }
  return verdict;
}

}  // namespace

Result<SweptPair> sweep_on(Stage& stage, KernelId first, KernelId second, SweepOptions options) {
  if (stage.is_simulated()) options.rounds = std::min<std::size_t>(options.rounds, 1);
  WATTUNE_ASSIGN(const auto machine, stage.machine());
  WATTUNE_ASSIGN(PairSweep sweep, schedule::sweep_pair(*machine, first, second, options));
  SweptPair pair{.names = {machine->kernel(first)->name, machine->kernel(second)->name},
                 .limits = machine->limits(),
                 .sweep = std::move(sweep),
                 .planned = {},
                 .outputs = {}};
  std::vector<PairForecast> ways = swept_ways(*machine, pair.sweep);
  stage.remember(first, second, pair.limits.sms, ways);
  WATTUNE_TRY(run_again(stage, *machine, options, pair));
  const PairForecast& planned = pair.planned.forecast;
  if (!ways.empty() && planned.proven) {
    if (planned.many_streams && planned.measured > 0) ways.push_back(planned);
    ways.front().proven = planned.proven;
    stage.remember(first, second, pair.limits.sms, ways);
  }
  if (stage.outputs().empty()) return pair;
  WATTUNE_ASSIGN(pair.outputs, check_outputs(stage, *machine, pair.sweep));
  return pair;
}

}  // namespace wattune::schedule
