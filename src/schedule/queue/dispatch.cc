// Turns plans into launches.
#include <algorithm>
#include <array>
#include <utility>

#include "schedule/interface/timing_class.h"
#include "schedule/machine/carveout.h"
#include "schedule/policy/shares.h"
#include "schedule/queue/scheduler_state.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr unsigned kLanesOfSlot = 8;  // largest number of slices of a work in flight
constexpr double kLeastLeft = 0.01;   // least rest of a running work, as a share

unsigned window_of(const Share& share) {
  return share.form == Form::slices ? std::clamp(share.in_flight, 1U, kLanesOfSlot) : 1U;
}

// Returns the lane of the next launch among those of the work. Slices of a work that has several launches share one
// lane, since each launch waits for the one before.
unsigned lane_in_slot(const Entry& entry) {
  return entry.traits->launches > 1 ? 0 : entry.statistics.launches % window_of(*entry.current);
}

bool runs_whole(const Entry& entry) {
  return !entry.flights.empty() && entry.current && entry.current->form == Form::whole;
}

Launch launch_of(const Entry& entry) {
  const Share& share = *entry.current;
  const std::uint64_t left = entry.traits->blocks - entry.next_block;
  return {.kernel = entry.work.kernel,
          .form = share.form,
          .first_block = entry.next_block,
          .blocks = share.form == Form::slices ? std::min(left, share.slice_blocks) : left,
          .per_sm = share.form == Form::persistent ? share.per_sm : 0,
          .lane = entry.slot * kLanesOfSlot + lane_in_slot(entry),
          .priority = share.priority,
          .sms = share.sms,
          .shared_bytes = share.shared_bytes,
          .copy = entry.work.copy,
          .data = entry.work.data};
}

Beside beside_of(const Entry& entry, const Entry& other) {
  const Share& own = *entry.current;
  if (own.form == Form::whole && own.sms.count == 0 && other.current->form == Form::whole) {
    std::optional<std::size_t> urgent;
    if (own.priority != other.current->priority) urgent = own.priority > other.current->priority ? 0 : 1;
    return {other.work.kernel, {.whole = true, .urgent = urgent}};
  }
  if (own.sms.count > 0) return {other.work.kernel, {.sms_of_first = own.sms.count, .whole = own.form == Form::whole}};
  return {other.work.kernel, {.ratio = {own.per_sm, other.current->per_sm}}};
}

Residents residents_of(const MachineLimits& limits, const KernelTraits& kernel, const Share& share) {
  if (share.form == Form::persistent) return {&kernel, share.per_sm};
  return sliced_residents(limits, kernel, share.slice_blocks * window_of(share));
}

}  // namespace

// Returns the expected speed, divided by the speed alone at the board's own clocks. It is the forecast speed beside the
// kernel that runs with it, or the measured speed alone at the clocks that are held.
double Scheduler::State::expected_speed(const Entry& entry) const {
  const auto& beside = entry.beside;
  const auto forecast =
      beside ? table.find(entry.work.kernel, beside->kernel, beside->shape, governor.held()) : std::nullopt;
  if (forecast) return forecast->rates[0];
  const AtClock* point = entry.traits->at(governor.held());
  return point != nullptr && entry.traits->alone ? *entry.traits->alone / point->alone : 1.0;
}

// Returns the share of the work's blocks that is left. For a work whose blocks were all launched at once it is
// estimated by time, since the device is not asked. For such a work it is never 0, since the work still runs.
double Scheduler::State::expected_left(const Entry& entry) const {
  const bool has_all = !entry.flights.empty() && entry.current && entry.current->form != Form::slices;
  return has_all ? std::max(kLeastLeft, entry.left() - entry.expected) : entry.left();
}

Nanoseconds Scheduler::State::expected_time_left(const Entry& entry) const {
  return expected_left(entry) / std::max(expected_speed(entry), 1e-6) * entry.traits->alone.value_or(Nanoseconds());
}

// Returns the work as a policy sees it, in the state that it will probably have after the time `later`.
Candidate Scheduler::State::candidate(const Entry& entry, Nanoseconds later) const {
  const double run =
      entry.flights.empty() || !entry.traits->alone ? 0.0 : expected_speed(entry) * (later / *entry.traits->alone);
  return {.work = entry.id,
          .kernel = entry.work.kernel,
          .traits = entry.traits,
          .left = run > 0.0 ? std::max(kLeastLeft, expected_left(entry) - run) : expected_left(entry),
          .priority = entry.work.priority,
          .submitted = entry.statistics.submitted,
          .limit = entry.work.limit,
          .running = entry.wanted};
}

// Returns the work that is expected to run in this work's lane after the time `later`: this work, or the one that was
// launched behind it.
const Entry& Scheduler::State::runs_later(const Entry& entry, Nanoseconds later) {
  return entry.next && later > expected_time_left(entry) ? *queue.find(*entry.next) : entry;
}

// Returns how many further works there are of the kernels in the view, if the works `ended` have ended.
std::vector<WorkCount> Scheduler::State::works_after(const QueueView& view, const std::vector<const Entry*>& ended) {
  std::vector<WorkCount> later;
  const auto count = [&](KernelId kernel) -> WorkCount& {
    const auto known = std::ranges::find(later, kernel, &WorkCount::kernel);
    return known != later.end() ? *known : later.emplace_back(WorkCount{kernel, queue.count_ready(kernel)});
  };
  for (const Candidate& work : view.works) --count(work.kernel).works;
  for (const Entry* entry : ended)
    if (const auto known = std::ranges::find(later, entry->work.kernel, &WorkCount::kernel); known != later.end())
      --known->works;
  std::erase_if(later, [](const WorkCount& each) { return each.works == 0; });
  return later;
}

// Adds works of the highest priority that the window leaves out. Otherwise a long queue of other works would hide them.
void Scheduler::State::add_most_urgent(QueueView& view, Nanoseconds later) {
  if (view.works.size() < options.window) return;  // the view has all works
  for (const WorkId id : queue.most_urgent()) {
    if (view.works.size() >= 2 * options.window) return;
    const Entry& entry = *queue.find(id);
    const bool is_seen = std::ranges::find(view.works, id, &Candidate::work) != view.works.end();
    if (!is_seen && entry.waits_its_turn()) view.works.push_back(candidate(entry, later));
  }
}

// Adds the first work of each kernel that the view lacks, at most as many as the window has. Otherwise works of one
// kernel could fill the window, and its partners behind them would not be seen.
void Scheduler::State::add_first_of_others(QueueView& view, Nanoseconds later) {
  if (view.works.size() < options.window) return;  // the view has all works
  std::set<KernelId> seen;
  for (const Candidate& work : view.works) seen.insert(work.kernel);
  for (const auto& [kernel, works] : queue.ready_by_kernel()) {
    if (view.works.size() >= 2 * options.window) return;
    if (seen.contains(kernel)) continue;
    const auto first = std::ranges::find_if(works, [&](WorkId id) { return queue.find(id)->waits_its_turn(); });
    if (first != works.end()) view.works.push_back(candidate(*queue.find(*first), later));
  }
}

QueueView Scheduler::State::view(Nanoseconds now, const Entry* without) {
  const Nanoseconds later = without != nullptr ? expected_time_left(*without) : Nanoseconds(0);
  QueueView view{.limits = machine.limits(),
                 .now = now,
                 .clocks = {.can_set = governor.can_set(),
                            .may_change = governor.may_change(now),
                            .hold = options.clock_hold,
                            .held = governor.held()},
                 .works = {}};
  std::vector<const Entry*> ended;
  if (without != nullptr) ended.push_back(without);
  for (const WorkId id : active) {
    const Entry& entry = *queue.find(id);
    if (&entry == without || !entry.wanted || entry.failure) continue;
    const Entry& then = runs_later(entry, later);
    if (&then == &entry) {
      view.works.push_back(candidate(entry, later));
      continue;
    }
    // A work that is launched behind another one will run at that one's speed.
    const double speed = expected_speed(entry) / expected_speed(then);
    view.works.push_back(candidate(then, (later - expected_time_left(entry)) * speed));
    ended.push_back(&entry);
  }
  for (const WorkId id : queue.ready()) {
    if (view.works.size() >= options.window) break;
    if (const Entry& entry = *queue.find(id); entry.waits_its_turn()) view.works.push_back(candidate(entry, later));
  }
  add_most_urgent(view, later);
  add_first_of_others(view, later);
  view.later = works_after(view, ended);
  if (streams_meter)
    for (std::size_t i = 0; i < 2; ++i)
      view.ended_in_many_streams.push_back({streams_meter->kernels()[i], streams_meter->all_works()[i]});
  for (const WorkId id : active)
    if (const Entry& entry = *queue.find(id); entry.next)
      view.behind.push_back({queue.find(*entry.next)->work.kernel, 1});
  return view;
}

unsigned Scheduler::State::free_slot() {
  for (unsigned slot = 0;; ++slot) {
    const auto has_it = [&](WorkId id) {
      const Entry& entry = *queue.find(id);
      return entry.slot == slot || (entry.next && queue.find(*entry.next)->slot == slot);
    };
    if (std::ranges::none_of(active, has_it)) return slot;
  }
}

// Returns the bytes of shared memory that each SM sets aside for the works of this plan. A work that runs already was
// started with a number of its own. If SMs divide their memory in the same way for both numbers, the result is the one
// of the running work, which then need not restart.
std::uint64_t Scheduler::State::shared_bytes_of(const Plan& plan) {
  std::vector<Residents> residents;
  for (const Share& share : plan.shares)
    if (const Entry* entry = queue.find(share.work); entry != nullptr && shares_sms(share))
      residents.push_back(residents_of(machine.limits(), *entry->traits, share));
  const std::uint64_t bytes = schedule::shared_bytes_of(machine.limits(), residents);
  for (const Share& share : plan.shares)
    if (const Entry* entry = queue.find(share.work); entry != nullptr && entry->wanted && shares_sms(*entry->wanted))
      if (is_same_carveout(machine.limits(), entry->wanted->shared_bytes, bytes)) return entry->wanted->shared_bytes;
  return bytes;
}

// True if the plan starts and changes nothing, although a work may have ended.
bool Scheduler::State::only_goes_on(const Plan& plan) {
  return std::ranges::all_of(plan.shares, [&](const Share& share) {
    const Entry* entry = queue.find(share.work);
    return entry != nullptr && entry->wanted && is_same_share(share, *entry->wanted);
  });
}

void Scheduler::State::want(const Plan& plan) {
  std::vector<Share> shares = plan.shares;
  // A restart costs more than memory that the SMs no longer have to divide.
  const bool goes_on = only_goes_on(plan);
  const std::uint64_t shared_bytes = shared_bytes_of(plan);
  for (Share& share : shares)
    share.shared_bytes =
        goes_on ? queue.find(share.work)->wanted->shared_bytes : (shares_sms(share) ? shared_bytes : 0);
  for (const WorkId id : active)
    if (Entry& entry = *queue.find(id); !runs_whole(entry)) entry.wanted.reset();
  for (const Share& share : shares) {
    Entry* entry = queue.find(share.work);
    if (entry == nullptr || entry->failure || runs_whole(*entry)) continue;
    if (!active.contains(share.work)) entry->slot = free_slot();
    entry->wanted = share;
    active.insert(share.work);
  }
  if (trace != nullptr && plan.reason != last_reason)
    trace->add(Decision{machine.now(), plan.reason, plan.speedup, queue.size(), plan.pair});
  last_reason = plan.reason;
  fills_sms = plan.fills_sms;
  ahead = plan.ahead;
}

// Begins to measure works in many streams if the plan starts such works while nothing runs.
void Scheduler::State::meter_streams(const Plan& plan) {
  plans_many_streams = plan.pair && plan.pair->shape.many_streams;
  if (!plans_many_streams) return;
  const KernelId first = plan.pair->first;
  const auto second = std::ranges::find_if(plan.shares, [&](const Share& share) {
    const Entry* entry = queue.find(share.work);
    return entry != nullptr && entry->work.kernel != first;
  });
  if (second == plan.shares.end()) return;
  std::array<KernelId, 2> both = {first, queue.find(second->work)->work.kernel};
  PairShape shape = plan.pair->shape;
  // The order of the kernels does not depend on which work is the first of the plan.
  if (both[0] > both[1]) {
    std::swap(both[0], both[1]);
    shape = shape.swapped(machine.limits().sms);
  }
  if (!streams_meter && launches.empty())
    streams_meter.emplace(both, shape);
  else if (streams_meter && (streams_meter->kernels() != both || streams_meter->shape() != shape))
    streams_meter.reset();
}

// Launches one more part of the work's share. Returns false if it could not be launched.
bool Scheduler::State::launch_next(Entry& entry) {
  if (!plans_many_streams) end_metering();
  const Launch launch = launch_of(entry);
  auto id = machine.launch(launch);
  if (!id) {
    fail(entry, std::move(id).error().with_context(entry.traits->name));
    return false;
  }
  if (entry.statistics.launches++ == 0) entry.first_launch = machine.now();
  if (entry.flights.empty()) entry.expected = 0.0;
  entry.flights.push_back({*id, launch.first_block, launch.blocks, launch.lane, governor.held()});
  entry.next_block += launch.blocks;
  launches.emplace(*id, entry.id);
  return true;
}

// Returns the active works in the order of their launches; is_resident() gives the reason.
std::vector<WorkId> Scheduler::State::in_launch_order() {
  std::vector<WorkId> ids(active.begin(), active.end());
  std::ranges::stable_sort(ids, {}, [&](WorkId id) {
    const Entry& entry = *queue.find(id);
    return entry.wanted && is_resident(entry.wanted->form, entry.wanted->sms) ? launch_rank(*entry.traits) : 0.0;
  });
  return ids;
}

// Tells whether blocks that have been told to stop still occupy SMs. A launch that began before all of them are gone
// would get more blocks onto the SMs that are free first. Blocks of a failed work may never go.
bool Scheduler::State::is_draining() {
  const auto drains = [&](const Entry& entry) {
    const bool may_leave = !entry.failure || machine.now() < entry.drained;
    return entry.gives_way() && may_leave && entry.current->form == Form::persistent;
  };
  // A work that was launched ahead may have begun only if it has a lane of its own.
  const auto next_drains = [&](const Entry& entry) {
    const Entry* next = entry.next ? queue.find(*entry.next) : nullptr;
    return next != nullptr && next->slot != entry.slot && drains(*next);
  };
  return std::ranges::any_of(active, [&](WorkId id) {
    const Entry& entry = *queue.find(id);
    return drains(entry) || next_drains(entry);
  });
}

// Moves a work towards its wanted share. The old share ends before the new one begins, since only then is it known at
// which block to continue.
void Scheduler::State::advance(Entry& entry, bool draining) {
  if (entry.gives_way()) {
    drop_next(entry);
    for (const Flight& flight : entry.flights) machine.stop(flight.launch);
    return;
  }
  if (entry.flights.empty() && entry.wanted && is_resident(entry.wanted->form, entry.wanted->sms) && draining) return;
  entry.current = entry.wanted;
  if (!entry.wanted) return;
  while (entry.flights.size() < window_of(*entry.wanted) && entry.next_block < entry.traits->blocks)
    if (!launch_next(entry)) return;
}

// Marks launches with the one other kernel that runs beside them, so that rates can be measured. The mark is removed if
// the partner changes before the launch ends or is stopped.
void Scheduler::State::mark_partners() {
  std::vector<Entry*> running;
  for (const WorkId id : active)
    if (Entry* entry = queue.find(id); !entry->flights.empty()) running.push_back(entry);
  for (Entry* entry : running)
    for (Entry* other : running)
      if (other != entry) entry->partners.insert(other->id);
  for (Entry* entry : running) {
    const Entry& other = *(running[0] == entry ? running.back() : running[0]);
    entry->beside.reset();
    if (running.size() == 2) entry->beside = beside_of(*entry, other);
    if (entry->current != entry->wanted) continue;
    for (Flight& flight : entry->flights) {
      if (flight.is_marked && flight.beside != entry->beside) flight.beside.reset();
      if (!flight.is_marked) flight.beside = entry->beside;
      if (!flight.is_marked) flight.is_later = flight.launch > other.flights.front().launch;
      flight.is_marked = true;
    }
  }
}

void Scheduler::dispatch() {
  State& state = *state_;
  const Nanoseconds now = state.machine.now();
  state.account(now);
  state.enforce_limits(now);
  if (state.lost) return;
  const Plan plan = state.policy(state.view(now), state.table);
  state.governor.ask(plan.clocks, now);
  state.want(plan);
  state.meter_streams(plan);
  const bool draining = state.is_draining();
  const std::vector<WorkId> active = state.in_launch_order();
  for (const WorkId id : active)
    if (Entry* entry = state.queue.find(id)) state.advance(*entry, draining);
  for (const WorkId id : active)
    if (Entry* entry = state.queue.find(id)) state.settle(*entry);
  state.mark_partners();
  // The lane that ends first gets its next work first, so that decisions for the other lanes see that work.
  std::vector<WorkId> running(state.active.begin(), state.active.end());
  std::ranges::stable_sort(running, {}, [&](WorkId id) { return state.expected_time_left(*state.queue.find(id)); });
  for (const WorkId id : running) state.queue_ahead(now, *state.queue.find(id));
}

}  // namespace wattune::schedule
