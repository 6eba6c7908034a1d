// What an oracle knows of a pair: it has run it.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "wattune/schedule/scheduler.h"
#include "wattune/schedule/simulated_machine.h"

namespace wattune::schedule {

namespace {

constexpr std::uint64_t kWaves = 8;  // of resident blocks alone, that a pair runs for at most

struct Bench {
  simulate::GpuModel gpu;
  SimulatedMachineOptions options;
  Form form;
  std::map<std::string, ProfiledKernel> kernels;
};

// The kernel with a grid that is long enough to see its rate.
ProfiledKernel shortened(ProfiledKernel kernel, unsigned sms) {
  const std::uint64_t most = kWaves * std::max(1U, kernel.traits.profile.blocks_alone) * sms;
  if (kernel.kernel.blocks <= most) return kernel;
  kernel.traits.alone = kernel.traits.alone * (static_cast<double>(most) / static_cast<double>(kernel.kernel.blocks));
  kernel.kernel.blocks = kernel.traits.blocks = most;
  return kernel;
}

Share fixed_share(const Bench& bench, WorkId work, unsigned per_sm) {
  Share share{.work = work, .form = bench.form, .per_sm = per_sm};
  share.slice_blocks = static_cast<std::uint64_t>(per_sm) * bench.gpu.sms;
  share.in_flight = PolicyOptions{}.slices_in_flight;
  return share;
}

// Both together until one of them has ended, when the other is stopped.
Policy pair_policy(const Bench& bench, model::BlockRatio ratio) {
  return [&bench, ratio](const QueueView& view, const PairTable&) -> Plan {
    if (view.works.size() < 2) return {};
    return {.shares = {fixed_share(bench, 1, ratio.first), fixed_share(bench, 2, ratio.second)}};
  };
}

struct Progress {
  double blocks = 0.0;
  Nanoseconds begin = kForever;
  Nanoseconds end;
};

// Work alone for each of these, over the time that it took.
double rate(const Trace& trace, WorkId work, const KernelTraits& kernel) {
  Progress progress;
  for (const Span& span : trace.spans()) {
    if (span.work != work) continue;
    progress.blocks += static_cast<double>(span.blocks);
    progress.begin = std::min(progress.begin, span.begin);
    progress.end = std::max(progress.end, span.end);
  }
  if (!(progress.end > progress.begin)) return 0.0;
  return progress.blocks / static_cast<double>(kernel.blocks) * kernel.alone / (progress.end - progress.begin);
}

Result<PairForecast> measure(const Bench& bench, const ProfiledKernel& first, const ProfiledKernel& second,
                             model::BlockRatio ratio) {
  SimulatedMachine machine(bench.gpu, bench.options);
  const std::array works = {Work{.kernel = machine.add(first.kernel, first.traits)},
                            Work{.kernel = machine.add(second.kernel, second.traits)}};
  Trace trace;
  Scheduler scheduler(machine, pair_policy(bench, ratio), {}, &trace);
  WATTUNE_TRY(scheduler.submit(works));
  do {
    scheduler.dispatch();
    scheduler.note(machine.wait(scheduler.deadline()));
  } while (scheduler.is_running());
  return PairForecast{.ratio = ratio, .rates = {rate(trace, 1, first.traits), rate(trace, 2, second.traits)}};
}

Result<PairForecast> measure_best(const Bench& bench, const KernelTraits& first, const KernelTraits& second) {
  const auto one = bench.kernels.find(first.name);
  const auto other = bench.kernels.find(second.name);
  if (one == bench.kernels.end() || other == bench.kernels.end())
    return Error(ErrorCode::not_found, "no such kernel to measure").about(first.name + " with " + second.name);
  WATTUNE_ASSIGN(const auto ratios, model::feasible_ratios(bench.gpu.capability, first.block, second.block));
  PairForecast best;
  for (const model::BlockRatio& ratio : ratios) {
    WATTUNE_ASSIGN(const PairForecast measured, measure(bench, shortened(one->second, bench.gpu.sms),
                                                        shortened(other->second, bench.gpu.sms), ratio));
    if (measured.speedup() > best.speedup()) best = measured;
  }
  return best;
}

}  // namespace

Forecaster measured_forecaster(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels, Form form,
                               const SimulatedMachineOptions& options) {
  const auto bench = std::make_shared<Bench>(Bench{gpu, options, form, {}});
  for (const ProfiledKernel& kernel : kernels) bench->kernels.emplace(kernel.traits.name, kernel);
  return [bench](const KernelTraits& first, const KernelTraits& second) { return measure_best(*bench, first, second); };
}

}  // namespace wattune::schedule
