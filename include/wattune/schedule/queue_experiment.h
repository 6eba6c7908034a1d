// Experiments with queues: many works of a few kernels, as a backlog or as arrivals, on a simulated GPU under several
// policies.
//
// Pure functions of values but for what they simulate; equal arguments give equal results. Any thread.
//
//   WATTUNE_ASSIGN(const auto kernels, schedule::profile_all(gpu, simulated));
//   const auto arrivals = schedule::poisson_arrivals(kernels, {.works = 1000, .load = 0.8});
//   WATTUNE_ASSIGN(const auto run, schedule::run_queue(gpu, kernels, arrivals, {.policy = "paired"}));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/scheduler.h"
#include "wattune/schedule/simulated_machine.h"

namespace wattune::schedule {

// Each with the profile that runs alone give it.
Result<std::vector<ProfiledKernel>> profile_all(const simulate::GpuModel& gpu,
                                                const std::vector<simulate::SimulatedKernel>& kernels);

// The same kernels with grids of so many waves, as one that runs alone fills the GPU, and blocks so long that each
// takes about this time: nobody is short or long by the sizes that a paper happened to print.
Result<std::vector<simulate::SimulatedKernel>> equally_long(const simulate::GpuModel& gpu,
                                                            std::vector<simulate::SimulatedKernel> kernels,
                                                            Nanoseconds time, unsigned waves);

struct Arrival {
  Nanoseconds moment;
  std::size_t kernel = 0;  // place among the kernels
  int priority = 0;

  bool operator==(const Arrival&) const = default;
};

struct ArrivalOptions {
  std::size_t works = 1000;
  // Of Poisson arrivals: solo time that arrives in a unit of time. At 1 a GPU that runs one kernel at a time is just
  // busy.
  double load = 1.0;
  std::uint64_t seed = 1;
};

// Kernels drawn evenly, all at once, which is the paper's queue.
std::vector<Arrival> backlog(const std::vector<ProfiledKernel>& kernels, const ArrivalOptions& options);
// Kernels drawn evenly, with independent gaps.
std::vector<Arrival> poisson_arrivals(const std::vector<ProfiledKernel>& kernels, const ArrivalOptions& options);

enum class Knowledge {
  predicted,  // the policy's own forecaster, corrected by what is measured on the way
  measured,   // of every pair at every ratio: the oracle
};

struct QueueOptions {
  std::string policy = "paired";
  Knowledge knowledge = Knowledge::predicted;
  PolicyOptions policy_options = {};
  SchedulerOptions scheduler = {};
  SimulatedMachineOptions machine = {};
};

struct QueueRun {
  Nanoseconds makespan;
  Nanoseconds mean_response;
  Nanoseconds response_99;  // what 99 % of the works do not pass
  double slowdown = 0.0;    // mean response over the mean time alone
  Joules energy;            // of the board; 0 without one
  std::size_t launches = 0;
};

// Forecasts of all pairs, which several runs share.
Result<PairTable> forecast_all(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                               const QueueOptions& options);

// not_found (a policy); the first error of a work that did not succeed.
Result<QueueRun> run_queue(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                           const std::vector<Arrival>& arrivals, const QueueOptions& options,
                           const PairTable& forecasts, Trace* trace = nullptr);

}  // namespace wattune::schedule
