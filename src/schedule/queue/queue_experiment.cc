#include "schedule/interface/queue_experiment.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "schedule/interface/clock_profile.h"
#include "simulate/interface/corun_kernels.h"

namespace wattune::inline v0_1::schedule {

namespace {

PolicyTraits named_traits(const std::string& policy) {
  const auto found = std::ranges::find(policies(), policy, &PolicyTraits::name);
  return found == policies().end() ? PolicyTraits() : *found;
}

// True if the kernel's profile suffices for a prediction. Times alone do not tell how much of the pipelines and of the
// memory two kernels need together.
bool can_be_predicted(const KernelTraits& kernel) { return !kernel.rate_at_residency.empty() && kernel.utilisation; }

// The forecasters of a policy: its own forecaster, and one for kernels with incomplete profiles.
struct Forecasters {
  Forecaster predict;  // forecaster by predictions; empty if all pairs are measured
  Forecaster measure;

  Result<PairForecast> forecast(const KernelTraits& first, const KernelTraits& second) const {
    const bool predicted = predict && can_be_predicted(first) && can_be_predicted(second);
    return (predicted ? predict : measure)(first, second);
  }
};

Forecasters forecasters_of(Machine& machine, const QueueOptions& options, const PolicyTraits& policy,
                           const model::ChainSm& sm) {
  const MachineLimits& limits = machine.limits();
  if (policy.forecasts == ForecastKind::split) return {.predict = {}, .measure = split_forecaster(limits, sm)};
  if (options.policy_options.urgent_from && policy.name == "paired")
    return {.predict = {}, .measure = measured_forecaster(machine, Form::whole)};
  const bool is_balanced = policy.forecasts == ForecastKind::balanced_ratio;
  // If clocks may be set, the best way is chosen by the forecaster for clocks; here all ways are needed.
  const Objective objective = options.scheduler.clocks != nullptr ? Objective() : options.policy_options.objective;
  Forecasters all{.predict = {}, .measure = measured_forecaster(machine, policy.form, objective)};
  if (options.knowledge == Knowledge::measured) return all;
  all.predict = is_balanced ? chain_forecaster(limits, sm, model::RatioRule::balanced)
                            : residency_forecaster(limits, sm, objective);
  if (policy.form == Form::persistent) all.predict = better_of(all.predict, split_forecaster(limits, sm), objective);
  return all;
}

Forecasters at_clocks(Forecasters own, const QueueOptions& options) {
  for (Forecaster* const each : {&own.predict, &own.measure})
    if (*each)
      *each = clocked_forecaster(std::move(*each), options.board_limit, options.policy_options.objective,
                                 options.own_memory);
  return own;
}

// Appends the works that have ended, in the order of their ends. Fails with the first error of a work that did not
// succeed.
Result<void> collect(Scheduler& scheduler, std::vector<WorkStatistics>& works) {
  for (Finished& finished : scheduler.take_finished()) {
    WATTUNE_ASSIGN(const WorkStatistics statistics, std::move(finished.result));
    works.push_back(statistics);
  }
  return {};
}

Result<void> drive_to_end(Scheduler& scheduler, Machine& machine, const std::vector<Arrival>& arrivals,
                          const QueueOptions& options, std::vector<WorkStatistics>& works, std::size_t& next) {
  const std::atomic<bool>* const cancel = options.cancel;
  std::map<KernelId, std::size_t> copies;
  const Nanoseconds begin = machine.now();
  while (next < arrivals.size() || !scheduler.is_idle()) {
    if (cancel != nullptr && *cancel) return Error(ErrorCode::cancelled, "the queue was ended by its user");
    for (; next < arrivals.size() && begin + arrivals[next].moment <= machine.now(); ++next)
      WATTUNE_TRY(
          scheduler.submit(std::array{Work{.kernel = arrivals[next].kernel,
                                           .priority = arrivals[next].priority,
                                           .copy = options.uses_copies ? ++copies[arrivals[next].kernel] : 0}}));
    scheduler.dispatch();
    if (scheduler.clock_refusal()) return {};
    const Nanoseconds arrival = next < arrivals.size() ? begin + arrivals[next].moment : kForever;
    scheduler.note(machine.wait(std::min(arrival, scheduler.deadline())));
    WATTUNE_TRY(collect(scheduler, works));
  }
  return {};
}

// Runs all works. Returns their statistics in the order of their ends.
Result<std::vector<WorkStatistics>> drive(Scheduler& scheduler, Machine& machine, const std::vector<Arrival>& arrivals,
                                          const QueueOptions& options) {
  std::vector<WorkStatistics> works;
  std::size_t submitted = 0;
  auto driven = drive_to_end(scheduler, machine, arrivals, options, works, submitted);
  if (driven && scheduler.is_idle()) return works;
  stop_all(scheduler, machine, submitted);
  if (driven) return works;
  return std::move(driven).error();
}

QueueRun summarise(const std::vector<WorkStatistics>& works, Nanoseconds begin) {
  QueueRun run;
  std::vector<Nanoseconds> responses;
  if (!works.empty()) run.first_block = std::ranges::min(works, {}, &WorkStatistics::started).started - begin;
  for (const WorkStatistics& work : works) {
    run.makespan = std::max(run.makespan, work.ended - begin);
    run.mean_response += work.response() / static_cast<double>(works.size());
    if (work.energy) run.energy = run.energy.value_or(Joules()) + *work.energy;
    run.launches += work.launches;
    responses.push_back(work.response());
  }
  run.ended = works.size();
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

Result<PairTable> forecast_all(Machine& machine, const QueueOptions& options, const model::ChainSm& sm) {
  PairTable table(machine.limits().sms, options.scheduler.correction_weight, options.policy_options.objective);
  const PolicyTraits policy = named_traits(options.policy);
  if (policy.forecasts == ForecastKind::none) return table;
  Forecasters forecasters = forecasters_of(machine, options, policy, sm);
  if (options.scheduler.clocks != nullptr) forecasters = at_clocks(std::move(forecasters), options);
  if (options.forecaster) forecasters = {.predict = options.forecaster, .measure = options.forecaster};
  const auto kernels = kernels_of(machine);
  const auto runs = [&](KernelId kernel) {
    return options.kernels.empty() || std::ranges::find(options.kernels, kernel) != options.kernels.end();
  };
  for (KernelId i = 0; i < kernels.size(); ++i)
    for (KernelId j = i + 1; j < kernels.size(); ++j) {
      if (!runs(i) || !runs(j)) continue;
      if (options.known != nullptr && options.known->knows(i, j)) {
        PairForecast known = best_of(options.policy_options.objective, options.known->ways(i, j));
        known.proven = options.known->proven(i, j);
        table.learn(i, j, known);
        continue;
      }
      WATTUNE_ASSIGN(const PairForecast forecast, forecasters.forecast(*kernels[i], *kernels[j]));
      table.learn(i, j, forecast);
    }
  return table;
}

void stop_all(Scheduler& scheduler, Machine& machine, std::size_t submitted) {
  for (WorkId work = 1; work <= submitted; ++work) scheduler.cancel(work);
  while (scheduler.is_running()) {
    scheduler.dispatch();
    scheduler.note(machine.wait(scheduler.deadline()));
  }
}

bool has_pilots(const QueueOptions& options) {
  const ForecastKind forecasts = named_traits(options.policy).forecasts;
  return options.knowledge == Knowledge::measured && forecasts != ForecastKind::none &&
         forecasts != ForecastKind::split;
}

Result<QueueRun> run_queue(Machine& machine, const std::vector<Arrival>& arrivals, const QueueOptions& options,
                           const PairTable& forecasts, Trace* trace) {
  WATTUNE_ASSIGN(const Policy policy, find_policy(options.policy, options.policy_options));
  Scheduler scheduler(machine, policy, options.scheduler, trace);
  scheduler.learn(forecasts);
  const Nanoseconds begin = machine.now();
  WATTUNE_ASSIGN(const auto works, drive(scheduler, machine, arrivals, options));
  QueueRun run = summarise(works, begin);
  Nanoseconds alone;
  for (const Arrival& arrival : arrivals) alone += machine.kernel(arrival.kernel)->alone.value_or(Nanoseconds());
  run.slowdown = run.mean_response * static_cast<double>(arrivals.size()) / alone;
  run.pairs = scheduler.table();
  run.refusal = scheduler.clock_refusal();
  return run;
}

Nanoseconds time_in_turn(const Machine& machine, const std::vector<Arrival>& arrivals) {
  if (arrivals.empty()) return {};
  Nanoseconds end;
  for (const Arrival& arrival : arrivals)
    end = std::max(end, arrival.moment) + machine.kernel(arrival.kernel)->alone.value_or(Nanoseconds());
  return end - arrivals.front().moment;
}

}  // namespace wattune::schedule
