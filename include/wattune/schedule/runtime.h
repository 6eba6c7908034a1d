// Runtime: kernels of many threads on one machine, at once where that gains.
//
// It owns its machine, a thread that drives it, and one that forecasts pairs it has not seen, while their kernels run
// alone. Any thread may call anything at any time. What is destroyed with works in it cancels them; a Ticket outlives
// its runtime.
//
//   schedule::Runtime runtime(std::move(machine), {.policy = *schedule::find_policy("paired"), .forecaster = chain});
//   WATTUNE_ASSIGN(const schedule::Ticket ticket, runtime.submit({.kernel = fma}));
//   WATTUNE_ASSIGN(const schedule::WorkStatistics statistics, ticket.wait());
#pragma once

#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/scheduler.h"

namespace wattune::schedule {

enum class WhenFull { wait, refuse };
enum class Shutdown {
  finish,  // everything that was submitted
  cancel,  // what waits at once, what runs at its next block
};

struct RuntimeOptions {
  Policy policy;
  Forecaster forecaster = {};  // none: what the policy knows is what was learnt before
  SchedulerOptions scheduler = {};
  std::size_t most_works = 65536;  // that have not ended
  WhenFull when_full = WhenFull::wait;
  std::size_t trace_events = 0;  // that are kept
};

// A work on its way. Copies are of the same work.
class Ticket {
 public:
  WorkId id() const { return id_; }
  bool is_done() const;
  // Its statistics, or why it did not succeed: cancelled, timeout, device_lost, launch_failed or what the machine says.
  Result<WorkStatistics> wait() const { return result_.get(); }
  std::optional<Result<WorkStatistics>> wait_for(std::chrono::nanoseconds time) const;

 private:
  friend class Runtime;
  Ticket(WorkId id, std::shared_future<Result<WorkStatistics>> result) : id_(id), result_(std::move(result)) {}

  WorkId id_;
  std::shared_future<Result<WorkStatistics>> result_;
};

struct RuntimeStatistics {
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t waiting = 0;  // that have not ended
};

class Runtime {
 public:
  // Precondition: there is a machine and a policy.
  Runtime(std::unique_ptr<Machine> machine, RuntimeOptions options);
  ~Runtime();  // Shutdown::cancel
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // All of them or none. busy (no room, with WhenFull::refuse), invalid_argument (more at once than there is ever room
  // for), unavailable (it was shut down), and what Scheduler::submit() refuses.
  Result<std::vector<Ticket>> submit(std::span<const Work> works);
  Result<Ticket> submit(const Work& work);
  // False: it has ended. True: it will, perhaps in success, if it was faster.
  bool cancel(const Ticket& ticket);

  // Waits until all works have ended. What is submitted from its beginning on is refused. A second call that cancels
  // hurries a first one that finishes.
  void shutdown(Shutdown how);

  RuntimeStatistics statistics() const;
  // Why nothing runs any more; none: all is well.
  std::optional<Error> lost() const;
  // What Trace::json() says of the newest state.
  std::string trace_json() const;
  const Machine& machine() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattune::schedule
