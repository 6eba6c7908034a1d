// Experiments with queues: many works of a few kernels, as a backlog or as arrivals, on one machine under several
// policies.
//
// The kernels are all those of the machine. The caller owns it, and nothing else runs on it meanwhile; one thread at a
// time. On simulated machines equal arguments give equal results.
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

#include "wattune/core/result.h"
#include "wattune/schedule/arrivals.h"
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

enum class Knowledge {
  // The policy's own forecaster, where the kernels' profiles suffice for it, else as below; corrected by what is
  // measured on the way.
  predicted,
  measured,  // of every pair at every ratio: the oracle
};

struct QueueOptions {
  std::string policy = "paired";
  Knowledge knowledge = Knowledge::predicted;
  PolicyOptions policy_options = {};
  // With a control of clocks the kernels have profiles at clocks, and pairs are forecast there (clock_profile.h).
  SchedulerOptions scheduler = {};
  std::optional<Watts> board_limit = {};      // beyond which the board lowers its clock; none: unknown
  bool uses_copies = false;                   // the n-th work of a kernel uses its n-th copy, else all use its buffers
  const std::atomic<bool>* cancel = nullptr;  // ends the run as `cancelled`
};

struct QueueRun {
  Nanoseconds makespan;
  Nanoseconds first_block;  // when the first block began, from the beginning of the run on
  Nanoseconds mean_response;
  Nanoseconds response_99;  // what 99 % of the works do not pass
  double slowdown = 0.0;    // mean response over the mean time alone
  Joules energy;            // of the board; 0 without one
  std::size_t launches = 0;
  std::size_t ended = 0;  // works
  // Of clocks, with which the run ended, though works were left.
  std::optional<Error> refusal = {};
  PairTable pairs = PairTable();  // what is known of them at the end
};

// Forecasts of all pairs that this policy plans by, which several runs share. `sm` is one of the machine's, as chains
// see it (simulate::chain_sm()).
Result<PairTable> forecast_all(Machine& machine, const QueueOptions& options, const model::ChainSm& sm = {});

// not_found (a policy); the first error of a work that did not succeed; cancelled. Clocks that are refused are no
// error: what has ended until then is the result, and the board has its own clocks again.
Result<QueueRun> run_queue(Machine& machine, const std::vector<Arrival>& arrivals, const QueueOptions& options,
                           const PairTable& forecasts, Trace* trace = nullptr);

// Returns the time from the first block to the last where works run one after the other, as they arrive, and each takes
// as long as alone. Precondition: the machine has these kernels, with times alone.
Nanoseconds time_in_turn(const Machine& machine, const std::vector<Arrival>& arrivals);

}  // namespace wattune::schedule
