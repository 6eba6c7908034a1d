// Experiments with queues: many works of a few kernels, as a backlog or as arrivals, on one machine under several
// policies.
//
// The kernels are all those of the machine. The caller owns the machine, and nothing else runs on it meanwhile. One
// thread at a time calls the functions. On simulated machines equal arguments give equal results.
//
//   const auto machine = schedule::simulated_machine(gpu, kernels);
//   const auto arrivals = schedule::poisson_arrivals(*machine, {.works = 1000, .load = 0.8});
//   WATTUNE_ASSIGN(const auto table, schedule::forecast_all(*machine, {.policy = "paired"}));
//   WATTUNE_ASSIGN(const auto run, schedule::run_queue(*machine, arrivals, {.policy = "paired"}, table));
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/interface/arrivals.h"
#include "schedule/interface/scheduler.h"
#include "schedule/interface/simulated_machine.h"
#include "wattune/core/result.h"
#include "wattune/schedule/queue_report.h"

namespace wattune::inline v0_1::schedule {

// Profiles each kernel by runs alone on a simulated GPU. Fails as profile_alone() does.
Result<std::vector<ProfiledKernel>> profile_all(const simulate::GpuModel& gpu,
                                                const std::vector<simulate::SimulatedKernel>& kernels);

// Returns the same kernels with grids of this many waves; a wave is the blocks with which a kernel alone fills the GPU.
// The work of their blocks is scaled so that each kernel takes about this time. Therefore the problem sizes of a paper
// favour no kernel.
Result<std::vector<simulate::SimulatedKernel>> equally_long(const simulate::GpuModel& gpu,
                                                            std::vector<simulate::SimulatedKernel> kernels,
                                                            Nanoseconds time, unsigned waves);

// The source of the forecasts.
enum class Knowledge {
  // Forecasts of the policy's own forecaster, if the kernels' profiles suffice for it; otherwise as `measured`.
  // Measurements of the run correct them.
  predicted,
  measured,  // forecasts from runs of every pair at every ratio (the oracle); `split` is predicted nevertheless
};

struct QueueOptions {
  std::string policy = "paired";
  Knowledge knowledge = Knowledge::predicted;
  PolicyOptions policy_options = {};
  // With a control of clocks the kernels must have profiles at clocks, and pairs are forecast there (clock_profile.h).
  SchedulerOptions scheduler = {};
  std::optional<Watts> board_limit = {};     // power above which the board lowers its clock; nullopt if unknown
  std::optional<Megahertz> own_memory = {};  // the board's own memory clock; nullopt if unknown
  bool uses_copies = false;  // true if the n-th work of a kernel uses its n-th copy; else all use its own buffers
  const std::atomic<bool>* cancel = nullptr;  // a flag that ends the run as `cancelled`
  const PairTable* known = nullptr;           // pairs that need no forecast; nullptr if all need one
  // Forecasts pairs in the place of the policy's own forecaster, at the clocks that this function chooses. If the
  // function is empty, the policy's own forecaster is used.
  Forecaster forecaster = {};
  std::vector<KernelId> kernels = {};  // kernels whose pairs are forecast; all of the machine if empty
};

// Forecasts all pairs of kernels for this policy; several runs may share the table. `sm` is an SM of the machine, as
// chains model it (simulate::chain_sm()). Fails with errors of the forecaster.
Result<PairTable> forecast_all(Machine& machine, const QueueOptions& options, const model::ChainSm& sm = {});

// True if this policy plans by forecasts from pilots, which are short runs of the pairs. `split` has no pilots.
bool has_pilots(const QueueOptions& options);

// Ends the works of an interrupted run, so that they do not continue in the next run. `submitted` is their number.
void stop_all(Scheduler& scheduler, Machine& machine, std::size_t submitted);

// Runs the queue. Fails with not_found if there is no such policy, with the first error of a work that did not succeed,
// and with cancelled. A refusal of clocks is no error: the result covers the works that have ended, and the board has
// its own clocks again.
Result<QueueRun> run_queue(Machine& machine, const std::vector<Arrival>& arrivals, const QueueOptions& options,
                           const PairTable& forecasts, Trace* trace = nullptr);

// Returns the time from the first block to the last if works run one after the other in the order of their arrival,
// each as fast as alone. Precondition: the machine has these kernels, with times alone.
Nanoseconds time_in_turn(const Machine& machine, const std::vector<Arrival>& arrivals);

}  // namespace wattune::schedule
