// Work: a request to run a kernel's grid. WorkStatistics tell how it ran. A Ticket is a handle with which the submitter
// waits for the work. It stays valid after the end of the runtime.
//
// Works and statistics are values. Any thread may use a ticket.
//
//   WATTUNE_ASSIGN(const Ticket loaded, session->submit({.kernel = load}));
//   WATTUNE_ASSIGN(const Ticket ticket, session->submit({.kernel = fma, .tenant = 1, .after = {loaded.id()}}));
//   WATTUNE_ASSIGN(const WorkStatistics statistics, ticket.wait());
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

using WorkId = std::uint64_t;  // number of a work; the numbers ascend in the order in which works were submitted

// A time limit that never passes.
constexpr Nanoseconds kForever{std::numeric_limits<double>::infinity()};

// A request to run a kernel once: its grid, or all its launches one after another.
struct WATTUNE_EXPORT Work {
  KernelId kernel = 0;
  unsigned tenant = 0;  // the client, for traces and statistics
  int priority = 0;     // works of higher priority run earlier
  std::vector<WorkId> after = {};
  // Works of the same submission, by their places in it, that must end before this one begins.
  std::vector<std::size_t> after_in_batch = {};
  Nanoseconds limit = kForever;                   // longest time from the work's first launch to its end
  std::size_t copy = 0;                           // copy of the buffers that the work uses, as in Launch
  std::shared_ptr<const LoadedKernel> data = {};  // the kernel with an application's arguments, as in Launch
};

// The times of a work. Moments are on the clock of the machine.
struct WATTUNE_EXPORT WorkStatistics {
  Nanoseconds submitted;
  Nanoseconds started;  // moment of the work's first block
  Nanoseconds ended;
  unsigned launches = 0;
  Nanoseconds solo;       // time while no other work ran
  Nanoseconds together;   // time while another work ran
  unsigned partners = 0;  // works that ran at the same time
  // Energy of the board while the work ran, shared equally with the works that ran beside it.
  std::optional<Joules> energy;

  Nanoseconds response() const { return ended - submitted; }
};

// A work that has left the scheduler.
struct WATTUNE_EXPORT Finished {
  WorkId work = 0;
  Result<WorkStatistics> result;
};

// A handle of a submitted work. Copies refer to the same work.
class WATTUNE_EXPORT Ticket {
 public:
  WorkId id() const { return id_; }
  bool is_done() const;
  // Waits for the end of the work. Returns its statistics, or the error with which it ended: cancelled, timeout,
  // device_lost, launch_failed or another one of the machine.
  Result<WorkStatistics> wait() const { return result_.get(); }
  // Waits for the end, but no longer than this time; returns nullopt if the work has not ended by then.
  std::optional<Result<WorkStatistics>> wait_for(std::chrono::nanoseconds time) const;

 private:
  friend class Runtime;
  Ticket(WorkId id, std::shared_future<Result<WorkStatistics>> result) : id_(id), result_(std::move(result)) {}

  WorkId id_;
  std::shared_future<Result<WorkStatistics>> result_;
};

}  // namespace wattune::schedule
