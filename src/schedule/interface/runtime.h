// Runtime: runs kernels that many threads submit on one machine. Kernels run together if that makes them faster.
//
// It owns its machine, a thread that drives it, and a thread that forecasts new pairs while their kernels run alone.
// Any thread may call any function at any time. The destructor cancels the works that are left; a Ticket stays valid
// after the end of its runtime.
//
//   schedule::Runtime runtime(std::move(machine), {.policy = *schedule::find_policy("paired"), .forecaster = chain});
//   WATTUNE_ASSIGN(const schedule::Ticket ticket, runtime.submit({.kernel = fma}));
//   WATTUNE_ASSIGN(const schedule::WorkStatistics statistics, ticket.wait());
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/interface/scheduler.h"
#include "wattune/core/result.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

// The treatment of a submission for which there is no room.
enum class WhenFull { wait, refuse };
// The treatment of works that are left at the end.
enum class Shutdown {
  finish,  // runs all submitted works to their ends
  cancel,  // ends waiting works at once, and running works at their next block
};

struct RuntimeOptions {
  Policy policy;
  Forecaster forecaster = {};  // if empty, the policy knows only pairs that were learnt before
  SchedulerOptions scheduler = {};
  std::size_t most_works = 65536;  // largest number of works that have not ended
  WhenFull when_full = WhenFull::wait;
  std::size_t trace_events = 0;  // largest number of events that the trace keeps; no trace if 0
};

struct RuntimeStatistics {
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t waiting = 0;  // works that have not ended
};

class Runtime {
 public:
  // Starts the threads. Precondition: there is a machine and a policy.
  Runtime(std::unique_ptr<Machine> machine, RuntimeOptions options);
  ~Runtime();  // Ends the runtime as shutdown(Shutdown::cancel) does.
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Submits all of the works or none. Fails with busy if there is no room (with WhenFull::refuse), with
  // invalid_argument if the works are more than there is ever room for, and with unavailable after shutdown(). Errors
  // of Scheduler::submit() are passed on.
  Result<std::vector<Ticket>> submit(std::span<const Work> works);
  Result<Ticket> submit(const Work& work);
  // Asks for the end of the work. Returns false if it has ended already. Returns true if it will end, possibly with
  // success if it ends before the cancellation takes effect.
  bool cancel(const Ticket& ticket);

  // Waits until all works have ended. New works are refused from the beginning of the call. A second call with
  // Shutdown::cancel shortens a first one with Shutdown::finish.
  void shutdown(Shutdown how);

  RuntimeStatistics statistics() const;
  // Returns why nothing runs any more; nullopt as long as the machine is not lost.
  std::optional<Error> lost() const;
  // Returns the forecasts of pairs, as corrected until now.
  PairTable pairs() const;
  // Returns Trace::json() of the present trace.
  std::string trace_json() const;
  const Machine& machine() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattune::schedule
