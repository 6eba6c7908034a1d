#include "wattune/schedule/queue_experiment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "wattune/core/random.h"
#include "wattune/simulate/corun_kernels.h"

namespace wattune::schedule {

namespace {

Nanoseconds mean_alone(const std::vector<ProfiledKernel>& kernels) {
  Nanoseconds all;
  for (const ProfiledKernel& kernel : kernels) all += kernel.traits.alone;
  return all / static_cast<double>(kernels.size());
}

std::vector<Arrival> draw_arrivals(const std::vector<ProfiledKernel>& kernels, const ArrivalOptions& options,
                                   const std::function<Nanoseconds(Random&)>& gap) {
  Random random(options.seed);
  std::vector<Arrival> arrivals;
  Nanoseconds moment;
  for (std::size_t i = 0; i < options.works; ++i) {
    moment += gap(random);
    arrivals.push_back({moment, random.below(kernels.size())});
  }
  return arrivals;
}

ForecastKind kind_of(const std::string& policy) {
  const auto found = std::ranges::find(policies(), policy, &PolicyTraits::name);
  return found == policies().end() ? ForecastKind::none : found->forecasts;
}

Forecaster forecaster_of(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                         const QueueOptions& options, ForecastKind kind) {
  const MachineLimits limits = limits_of(gpu);
  if (kind == ForecastKind::split) return split_forecaster(limits);
  const bool is_balanced = kind == ForecastKind::balanced_ratio;
  if (options.knowledge == Knowledge::measured)
    return measured_forecaster(gpu, kernels, is_balanced ? Form::slices : Form::persistent, options.machine);
  const model::ChainSm sm = simulate::chain_sm(gpu);
  return is_balanced ? chain_forecaster(limits, sm, model::RatioRule::balanced) : residency_forecaster(limits, sm);
}

// Everything of one run but its numbers.
Result<std::vector<WorkStatistics>> drive(Scheduler& scheduler, Machine& machine,
                                          const std::vector<Arrival>& arrivals) {
  std::vector<WorkStatistics> all;
  std::size_t next = 0;
  while (next < arrivals.size() || !scheduler.is_idle()) {
    for (; next < arrivals.size() && arrivals[next].moment <= machine.now(); ++next)
      WATTUNE_TRY(
          scheduler.submit(std::array{Work{.kernel = arrivals[next].kernel, .priority = arrivals[next].priority}}));
    scheduler.dispatch();
    const Nanoseconds arrival = next < arrivals.size() ? arrivals[next].moment : kForever;
    scheduler.note(machine.wait(std::min(arrival, scheduler.deadline())));
    for (Finished& finished : scheduler.take_finished()) {
      WATTUNE_ASSIGN(const WorkStatistics statistics, std::move(finished.result));
      all.push_back(statistics);
    }
  }
  return all;
}

QueueRun summarise(const std::vector<WorkStatistics>& works) {
  QueueRun run;
  std::vector<Nanoseconds> responses;
  for (const WorkStatistics& work : works) {
    run.makespan = std::max(run.makespan, work.ended);
    run.mean_response += work.response() / static_cast<double>(works.size());
    run.energy += work.energy;
    run.launches += work.launches;
    responses.push_back(work.response());
  }
  std::ranges::sort(responses);
  if (!responses.empty()) run.response_99 = responses[(responses.size() * 99 + 99) / 100 - 1];
  return run;
}

}  // namespace

Result<std::vector<ProfiledKernel>> profile_all(const simulate::GpuModel& gpu,
                                                const std::vector<simulate::SimulatedKernel>& kernels) {
  std::vector<ProfiledKernel> profiled;
  for (const simulate::SimulatedKernel& kernel : kernels) {
    WATTUNE_ASSIGN(const KernelTraits traits, profile_alone(kernel, gpu));
    profiled.push_back({kernel, traits});
  }
  return profiled;
}

Result<std::vector<simulate::SimulatedKernel>> equally_long(const simulate::GpuModel& gpu,
                                                            std::vector<simulate::SimulatedKernel> kernels,
                                                            Nanoseconds time, unsigned waves) {
  for (simulate::SimulatedKernel& kernel : kernels) {
    WATTUNE_ASSIGN(const auto profile, simulate::pair_kernel(kernel, gpu));
    kernel.blocks = static_cast<std::uint64_t>(waves) * profile.blocks_alone * gpu.sms;
    WATTUNE_ASSIGN(const Nanoseconds alone, time_alone(kernel, gpu));
    kernel.instructions *= time / alone;
  }
  return kernels;
}

std::vector<Arrival> backlog(const std::vector<ProfiledKernel>& kernels, const ArrivalOptions& options) {
  return draw_arrivals(kernels, options, [](Random&) { return Nanoseconds(0); });
}

std::vector<Arrival> poisson_arrivals(const std::vector<ProfiledKernel>& kernels, const ArrivalOptions& options) {
  const Nanoseconds mean = mean_alone(kernels) / options.load;
  return draw_arrivals(kernels, options, [mean](Random& random) { return -std::log1p(-random.uniform()) * mean; });
}

Result<PairTable> forecast_all(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                               const QueueOptions& options) {
  PairTable table(gpu.sms, options.scheduler.correction_weight);
  const ForecastKind kind = kind_of(options.policy);
  if (kind == ForecastKind::none) return table;
  const Forecaster forecaster = forecaster_of(gpu, kernels, options, kind);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j) {
      WATTUNE_ASSIGN(const PairForecast forecast, forecaster(kernels[i].traits, kernels[j].traits));
      table.learn(i, j, forecast);
    }
  return table;
}

Result<QueueRun> run_queue(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                           const std::vector<Arrival>& arrivals, const QueueOptions& options,
                           const PairTable& forecasts, Trace* trace) {
  WATTUNE_ASSIGN(const Policy policy, find_policy(options.policy, options.policy_options));
  SimulatedMachine machine(gpu, options.machine);
  for (const ProfiledKernel& kernel : kernels) machine.add(kernel.kernel, kernel.traits);
  Scheduler scheduler(machine, policy, options.scheduler, trace);
  scheduler.learn(forecasts);
  WATTUNE_ASSIGN(const auto works, drive(scheduler, machine, arrivals));
  QueueRun run = summarise(works);
  Nanoseconds alone;
  for (const Arrival& arrival : arrivals) alone += kernels[arrival.kernel].traits.alone;
  run.slowdown = run.mean_response * static_cast<double>(arrivals.size()) / alone;
  return run;
}

}  // namespace wattune::schedule
