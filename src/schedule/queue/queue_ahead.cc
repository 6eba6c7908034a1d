// Launches the next work of a lane before the running one has ended. Otherwise the device would wait between the two
// until the host has seen the end and decided which work follows. If other works run beside it, the next work is of the
// same kernel, so that nothing else changes.
#include <algorithm>

#include "schedule/policy/shares.h"
#include "schedule/queue/scheduler_state.h"

namespace wattune::inline v0_1::schedule {

namespace {

// True if all blocks of the work are in one launch, and the work will not be changed before it ends.
bool can_be_followed(const Entry& entry) {
  return !entry.flights.empty() && !entry.failure && !entry.next && entry.wanted && entry.current == entry.wanted &&
         entry.current->form != Form::slices && entry.next_block == entry.traits->blocks;
}

// True if launches of both shares run one after the other.
bool is_same_lane(const Share& one, const Share& other) {
  return one.form == other.form && one.priority == other.priority && one.sms == other.sms;
}

}  // namespace

// True if all other works, and those launched behind them, continue as they run, beside the work that follows this one.
bool Scheduler::State::others_go_on(const Entry& entry, const Plan& plan) {
  return std::ranges::all_of(active, [&](WorkId id) {
    const Entry& other = *queue.find(id);
    if (other.id == entry.id || !other.wanted) return true;
    const auto share = std::ranges::find_if(
        plan.shares, [&](const Share& each) { return each.work == id || each.work == other.next; });
    return share != plan.shares.end() && is_same_share(*share, *queue.find(share->work)->wanted);
  });
}

// Returns the work that the policy would start if this work had ended and all others continued. Returns nullopt if the
// policy would also change another work.
std::optional<Scheduler::State::Next> Scheduler::State::next_after(Nanoseconds now, const Entry& entry) {
  const QueueView rest = view(now, &entry);
  if (std::ranges::all_of(rest.works, [](const Candidate& work) { return work.running.has_value(); })) return {};
  const Plan plan = policy(rest, table);
  const bool keeps_clocks = !governor.can_set() || !plan.clocks || plan.clocks == governor.held();
  if (plan.is_trial || !keeps_clocks || !others_go_on(entry, plan)) return {};
  const auto is_new = [&](const Share& share) {
    return !active.contains(share.work) && !queue.find(share.work)->behind;
  };
  if (std::ranges::count_if(plan.shares, is_new) != 1) return {};
  Share next = *std::ranges::find_if(plan.shares, is_new);
  next.shared_bytes = shares_sms(next) ? shared_bytes_of(plan) : 0;
  const bool divides_alike = std::ranges::all_of(active, [&](WorkId id) {
    const Entry& other = *queue.find(id);
    return other.id == entry.id || !other.wanted || other.wanted->shared_bytes == next.shared_bytes;
  });
  if (!divides_alike) return {};
  return Next{next, fills_sms && plan.fills_sms};
}

// Takes the first work that the plan has for the lane of this one. Where the plan tells what follows, the policy need
// not be asked for each lane.
std::optional<Scheduler::State::Next> Scheduler::State::take_ahead(std::vector<Share>& works, const Entry& entry) {
  const auto first =
      std::ranges::find_if(works, [&](const Share& share) { return is_same_lane(share, *entry.current); });
  if (first == works.end()) return {};
  const Share share = *first;
  works.erase(first);
  return Next{share};
}

void Scheduler::State::queue_ahead(Nanoseconds now, Entry& entry) {
  if (!can_be_followed(entry)) return;
  const std::optional<Next> following = ahead ? take_ahead(*ahead, entry) : next_after(now, entry);
  if (!following || !(following->overlaps || is_same_lane(following->share, *entry.current))) return;
  // With one hardware queue, a launch that waits for the previous one of its lane would hold back those of all other
  // lanes.
  if (machine.limits().hardware_queues == 1 && !following->overlaps) return;
  Entry& next = *queue.find(following->share.work);
  // A work of another kernel is not launched ahead: by then another work may run beside it, which it may not suit. In
  // many streams all kernels suit each other.
  if (next.work.kernel != entry.work.kernel && active.size() > 1 && !plans_many_streams) return;
  next.wanted = next.current = following->share;
  next.slot = following->overlaps ? free_slot() : entry.slot;
  next.behind = entry.id;
  entry.next = next.id;
  if (!launch_next(next)) settle(next);
}

// Withdraws the work that was launched behind this one. It stops before it begins, and waits again when the device has
// passed it. A whole launch cannot be withdrawn and stays.
void Scheduler::State::drop_next(Entry& entry) {
  if (!entry.next) return;
  Entry& next = *queue.find(*entry.next);
  if (next.current->form != Form::persistent) return;
  next.wanted.reset();
  for (const Flight& flight : next.flights) machine.stop(flight.launch);
}

// Withdraws works that were launched ahead and have a lower priority than this.
void Scheduler::State::drop_less_urgent(int priority) {
  for (const WorkId id : active)
    if (Entry& entry = *queue.find(id); entry.next && queue.find(*entry.next)->work.priority < priority)
      drop_next(entry);
}

// Gives the lane to the work behind this one. That work counts as running from now on.
void Scheduler::State::leave_lane(Entry& entry) {
  if (entry.behind) queue.find(*entry.behind)->next.reset();
  entry.behind.reset();
  if (!entry.next) return;
  Entry& next = *queue.find(*entry.next);
  entry.next.reset();
  next.behind.reset();
  active.insert(next.id);
  next.first_launch = machine.now();
  next.expected = 0.0;
  if (next.failure) give_time_to_end(next);
}

}  // namespace wattune::schedule
