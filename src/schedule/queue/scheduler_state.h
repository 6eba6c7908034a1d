// The state of a Scheduler, with the steps of its work.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/forecast/pair_power.h"
#include "schedule/interface/clock_governor.h"
#include "schedule/interface/scheduler.h"
#include "schedule/queue/streams_meter.h"
#include "schedule/queue/work_queue.h"

namespace wattune::inline v0_1::schedule {

struct Scheduler::State {
  State(Machine& on, Policy by, const SchedulerOptions& how, Trace* into)
      : machine(on),
        policy(std::move(by)),
        options(how),
        trace(into),
        table(on.limits().sms, how.correction_weight, how.objective),
        governor(how.clocks, how.clock_hold) {}

  Machine& machine;
  Policy policy;
  SchedulerOptions options;
  Trace* trace;
  PairTable table;
  ClockGovernor governor;
  WorkQueue queue;
  std::set<WorkId> active;  // works that run or shall run
  std::unordered_map<LaunchId, WorkId> launches;
  std::set<KernelId> kernels;  // kernels that were seen so far
  std::vector<std::pair<KernelId, KernelId>> unknown;
  std::optional<Error> lost;
  std::string last_reason;
  bool fills_sms = false;                   // as in the last plan
  bool plans_many_streams = false;          // the last plan runs a pair in many streams
  std::optional<std::vector<Share>> ahead;  // as in the last plan, but for works that were launched since
  // The meter of works in many streams, which measures while nothing else runs beside them; nullopt if no works run in
  // this way.
  std::optional<StreamsMeter> streams_meter;
  // The moment up to which time and energy are in the statistics.
  Nanoseconds accounted;
  Joules accounted_energy;
  PairPower pair_power;
  Watts idle_power;

  // Decisions (dispatch.cc). view() returns the queue as the policy sees it: at present, or when `without` will have
  // ended.

  QueueView view(Nanoseconds now, const Entry* without = nullptr);
  void add_most_urgent(QueueView& view, Nanoseconds later);
  void add_first_of_others(QueueView& view, Nanoseconds later);
  std::vector<WorkCount> works_after(const QueueView& view, const std::vector<const Entry*>& ended);
  Candidate candidate(const Entry& entry, Nanoseconds later) const;
  const Entry& runs_later(const Entry& entry, Nanoseconds later);
  double expected_speed(const Entry& entry) const;
  double expected_left(const Entry& entry) const;
  Nanoseconds expected_time_left(const Entry& entry) const;
  std::uint64_t shared_bytes_of(const Plan& plan);
  bool only_goes_on(const Plan& plan);
  void want(const Plan& plan);
  void meter_streams(const Plan& plan);
  std::vector<WorkId> in_launch_order();
  bool is_draining();
  void advance(Entry& entry, bool draining);
  bool launch_next(Entry& entry);
  void mark_partners();
  unsigned free_slot();

  // Launching ahead (queue_ahead.cc).

  struct Next {
    Share share;
    bool overlaps = false;  // true if it begins in its own lane when the work before leaves SMs idle
  };
  std::optional<Next> next_after(Nanoseconds now, const Entry& entry);
  std::optional<Next> take_ahead(std::vector<Share>& works, const Entry& entry);
  bool others_go_on(const Entry& entry, const Plan& plan);
  void queue_ahead(Nanoseconds now, Entry& entry);
  void drop_next(Entry& entry);
  void drop_less_urgent(int priority);
  void leave_lane(Entry& entry);

  // Events (scheduler.cc).

  void meet(KernelId kernel);
  void account(Nanoseconds now);
  Watts expected_power(const std::vector<Entry*>& running);
  void observe_power(const std::vector<Entry*>& running);
  void note(const Ended& ended);
  void observe(const Entry& entry, const Flight& flight, const Ended& ended);
  void observe_work(const Entry& entry, const Flight& last, Nanoseconds end);
  void observe_in_streams(const Entry& entry, const Ended& ended);
  void observe_streams();
  void end_metering();
  void settle(Entry& entry);
  void fail(Entry& entry, Error error);
  void give_time_to_end(Entry& entry);
  Nanoseconds limit_of(const Entry& entry) const;
  void enforce_limits(Nanoseconds now);
  void lose(Error error);
};

}  // namespace wattune::schedule
