// WorkQueue: the works that have not ended, and their dependencies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedule/interface/policy.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

// The kernel that runs at the same time, and the shape of the pair, with this work first.
struct Beside {
  KernelId kernel = 0;
  PairShape shape = {};

  bool operator==(const Beside&) const = default;
};

// A running launch of a work.
struct Flight {
  LaunchId launch = 0;
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  unsigned lane = 0;
  std::optional<backend::BoardSetting> clocks = {};  // clocks that were held when the launch began
  std::optional<Beside> beside = {};                 // nullopt if there was no other kernel, or several
  bool is_marked = false;                            // true if `beside` was set
  bool is_later = false;                             // true if it was launched after the launch beside it
};

struct Entry {
  WorkId id = 0;
  Work work;
  const KernelTraits* traits = nullptr;
  std::size_t waits_for = 0;
  std::vector<WorkId> dependents = {};
  std::uint64_t next_block = 0;  // the first block that has not been given to a launch
  std::uint64_t done = 0;
  std::optional<Share> wanted = {};
  std::optional<Share> current = {};  // share of the launches in flight
  std::vector<Flight> flights = {};
  double expected = 0.0;              // share of the work's blocks that these launches ran, by forecast speed
  unsigned slot = 0;                  // number by which its lanes are chosen
  std::optional<WorkId> next = {};    // the work that was launched behind it
  std::optional<WorkId> behind = {};  // the work behind which it was launched; it has not begun
  std::optional<Error> failure = {};  // the error with which it ends, after its launches
  Nanoseconds first_launch = {};
  Nanoseconds turn = {};              // moment of the end of the work behind which it was launched
  Nanoseconds drained = {};           // for a failed work: the moment until which others wait for its blocks to end
  Nanoseconds give_up = kForever;     // moment from which on the machine counts as lost if the work still runs
  std::optional<Beside> beside = {};  // the kernel beside it at present; nullopt if there is none or several
  // The one kernel beside which all of its finished blocks ran; nullopt if there was none, or if there were several.
  std::optional<Beside> throughout = {};
  std::set<WorkId> partners = {};
  WorkStatistics statistics = {};

  bool gives_way() const { return !flights.empty() && current != wanted; }
  // True if no plan includes the work and it has not failed.
  bool waits_its_turn() const { return !wanted && !behind && !failure; }
  bool is_active() const { return wanted.has_value() || !flights.empty(); }
  double left() const;
};

class WorkQueue {
 public:
  // Checks whether the works of a submission can run. Fails as Scheduler::submit() does.
  Result<void> check(std::span<const Work> works, const Machine& machine) const;
  // Adds the works. Precondition: check() has passed.
  std::vector<WorkId> add(std::span<const Work> works, const Machine& machine);

  // Returns the entry of a work; nullptr if it has ended or never existed.
  Entry* find(WorkId work);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const std::set<WorkId>& ready() const { return ready_; }
  const std::map<KernelId, std::set<WorkId>>& ready_by_kernel() const { return ready_of_kernel_; }
  // Returns the works of the highest priority that wait for no other work; an empty set if all such works have the same
  // priority.
  const std::set<WorkId>& most_urgent() const;
  // Returns the number of works of this kernel that wait for no other work.
  std::size_t count_ready(KernelId kernel) const;
  std::vector<Finished> take_finished();

  // Removes a work that has ended. If it has failed, all works that wait for it fail.
  void finish(Entry& entry, Nanoseconds now);
  void fail_all(const Error& error);

 private:
  void make_ready(const Entry& entry);
  void unready(const Entry& entry);
  void leave(WorkId work, Result<WorkStatistics> result);
  Result<void> check(const Work& work, const Machine& machine) const;

  WorkId next_ = 1;
  std::map<WorkId, Entry> entries_;
  std::set<WorkId> ready_;  // works that wait for no other work
  std::map<KernelId, std::set<WorkId>> ready_of_kernel_;
  std::map<int, std::set<WorkId>> ready_of_priority_;  // such works by priority, without priorities that have none
  std::unordered_set<WorkId> failed_;
  std::vector<Finished> finished_;
};

}  // namespace wattune::schedule
