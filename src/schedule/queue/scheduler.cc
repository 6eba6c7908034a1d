#include "schedule/interface/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "schedule/machine/counter_span.h"
#include "schedule/queue/scheduler_state.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The least number of waves of resident blocks for measuring a rate. Shorter launches are mostly beginning and end.
constexpr std::uint64_t kLeastWaves = 2;

// The number of works in many streams after which their speeds correct the forecast, although other works still run.
constexpr std::size_t kWorksInStreams = 64;

double in_whole_waves(std::uint64_t blocks, std::uint64_t wave) {
  const std::uint64_t whole = (blocks + wave - 1) / wave * wave;
  return static_cast<double>(whole);
}

Span span_of(const Entry& entry, const Flight& flight, const Ended& ended) {
  return {.kernel = entry.traits->name,
          .work = entry.id,
          .tenant = entry.work.tenant,
          .lane = flight.lane,
          .form = entry.current->form,
          .per_sm = entry.current->per_sm,
          .sms = entry.current->sms,
          .first_block = flight.first_block,
          .blocks = ended.blocks,
          .begin = ended.begin,
          .end = ended.end,
          .failed = ended.error.has_value()};
}

}  // namespace

// Notes the kernel and, at its first work, those of its pairs that have no forecast.
void Scheduler::State::meet(KernelId kernel) {
  if (!kernels.insert(kernel).second) return;
  for (const KernelId other : kernels)
    if (other != kernel && !table.knows(kernel, other)) unknown.emplace_back(other, kernel);
}

// Adds the time and energy since the last call to the works that ran. Also adds the share of their blocks that they
// should have run in that time.
void Scheduler::State::account(Nanoseconds now) {
  const Joules energy = machine.energy().value_or(Joules());
  const std::optional<Joules> used = energy_between(accounted_energy, energy);
  std::vector<Entry*> running;
  for (const WorkId id : active)
    if (Entry* entry = queue.find(id); !entry->flights.empty()) running.push_back(entry);
  for (Entry* entry : running) {
    (running.size() > 1 ? entry->statistics.together : entry->statistics.solo) += now - accounted;
    if (used)
      entry->statistics.energy =
          entry->statistics.energy.value_or(Joules()) + *used / static_cast<double>(running.size());
    if (entry->traits->alone) entry->expected += expected_speed(*entry) * ((now - accounted) / *entry->traits->alone);
  }
  accounted = now;
  accounted_energy = energy;
  observe_power(running);
}

// Returns the expected power of the board while these works run: the forecast of the pair, or the power of a single
// kernel alone. Returns 0 if it is unknown.
Watts Scheduler::State::expected_power(const std::vector<Entry*>& running) {
  if (running.empty()) return idle_power;
  const Entry& first = *running.front();
  const AtClock* const point = first.traits->at(governor.held());
  const std::optional<PowerTraits> power = point != nullptr ? point->power : first.traits->power;
  idle_power = power ? power->idle : Watts(0);
  if (running.size() == 1) return power ? power->alone : Watts(0);
  const auto& beside = first.beside;
  const auto forecast =
      beside ? table.find(first.work.kernel, beside->kernel, beside->shape, governor.held()) : std::nullopt;
  return forecast && forecast->watts ? forecast->power() : Watts(0);
}

// Notes the energy of the works that ran until now, and corrects the power of their pair when a window has ended.
void Scheduler::State::observe_power(const std::vector<Entry*>& running) {
  const Watts expected = expected_power(running);
  std::optional<std::array<KernelId, 2>> pair;
  if (running.size() == 2 && expected > Watts(0))
    pair = {std::min(running[0]->work.kernel, running[1]->work.kernel),
            std::max(running[0]->work.kernel, running[1]->work.kernel)};
  const auto powers = pair_power.note(accounted, accounted_energy, pair, expected);
  if (powers) table.observe_power(pair_power.pair()[0], pair_power.pair()[1], *powers);
}

// Corrects a pair's forecast by the speed of a launch that ran a part of a grid, at unchanged clocks. (observe_work()
// takes the speeds of whole works.) Blocks of the launch and of the grid are counted in whole waves. Otherwise short
// launches would look slow, because a last wave with fewer blocks takes as long as a full one. A launch that was
// stopped at its work's time limit counts as if it were a whole work.
void Scheduler::State::observe(const Entry& entry, const Flight& flight, const Ended& ended) {
  const bool has_own_sms = entry.current->sms.count > 0;
  const unsigned sms = has_own_sms ? entry.current->sms.count : machine.limits().sms;
  const unsigned per_sm = has_own_sms ? entry.traits->profile.blocks_alone : entry.current->per_sm;
  const std::uint64_t wave = std::uint64_t{std::max(1U, per_sm)} * sms;
  const bool keeps_its_share = entry.current->form == Form::persistent || has_own_sms;
  const bool is_late = entry.failure && entry.failure->code() == ErrorCode::timeout;
  const std::uint64_t least_blocks = is_late ? 1 : kLeastWaves * wave;
  const bool is_measured = keeps_its_share && flight.beside && !ended.error && entry.traits->alone &&
                           ended.blocks < entry.traits->blocks && ended.blocks >= least_blocks;
  if (!is_measured) return;
  if (flight.clocks != governor.held()) return;
  const std::uint64_t wave_alone =
      std::uint64_t{std::max(1U, entry.traits->profile.blocks_alone)} * machine.limits().sms;
  const double part = is_late ? static_cast<double>(ended.blocks) / static_cast<double>(entry.traits->blocks)
                              : in_whole_waves(ended.blocks, wave) / in_whole_waves(entry.traits->blocks, wave_alone);
  table.observe(entry.work.kernel, flight.beside->kernel, flight.beside->shape,
                part * *entry.traits->alone / (ended.end - ended.begin), flight.clocks, is_late ? 1 : 0);
}

// Corrects the forecast of a pair by the speed of a work that has run all its blocks beside the same kernel. The work
// may have exceeded its limit, since whole kernels cannot be stopped.
void Scheduler::State::observe_work(const Entry& entry, const Flight& last, Nanoseconds end) {
  const bool is_in_streams = entry.throughout && entry.throughout->shape.is_in_streams();
  // The work that begins first has all SMs to itself for some time, so it is not counted. A later work waits for SMs,
  // and this waiting time counts.
  if (is_in_streams && !last.is_later) return;
  const Nanoseconds launched = entry.turn > Nanoseconds(0) ? entry.turn : entry.first_launch;
  // A work in its own lane may begin among the last blocks of its predecessor. Its time therefore counts from its turn
  // on.
  const Nanoseconds begin = is_in_streams ? launched : std::max(entry.statistics.started, entry.turn);
  const bool is_measured = entry.throughout && entry.traits->alone && end > begin;
  if (!is_measured || last.clocks != governor.held()) return;
  table.observe(entry.work.kernel, entry.throughout->kernel, entry.throughout->shape,
                *entry.traits->alone / (end - begin), last.clocks, 1);
}

// Counts a work in many streams that has ended.
void Scheduler::State::observe_in_streams(const Entry& entry, const Ended& ended) {
  if (!streams_meter) return;
  const auto& both = streams_meter->kernels();
  const bool is_counted = !ended.error && entry.done == entry.traits->blocks && entry.traits->alone &&
                          std::ranges::find(both, entry.work.kernel) != both.end();
  if (is_counted)
    streams_meter->add(entry.work.kernel, *entry.traits->alone, ended.begin, ended.end);
  else
    streams_meter.reset();
}

// Corrects the forecast of a pair in many streams by the works that have ended.
void Scheduler::State::observe_streams() {
  std::optional<Nanoseconds> first;
  for (const auto& [launch, id] : launches) {
    const Entry& entry = *queue.find(id);
    const Nanoseconds begin = std::max(entry.first_launch, entry.turn);
    first = std::min(first.value_or(begin), begin);
  }
  const auto speeds = streams_meter->speeds(first);
  if (!speeds) return;
  const auto& both = streams_meter->kernels();
  const PairShape& shape = streams_meter->shape();
  const std::array<std::size_t, 2> works = streams_meter->works();
  table.observe(both[0], both[1], shape, (*speeds)[0], {}, works[0]);
  table.observe(both[1], both[0], shape.swapped(machine.limits().sms), (*speeds)[1], {}, works[1]);
}

void Scheduler::State::end_metering() {
  if (streams_meter) observe_streams();
  streams_meter.reset();
}

void Scheduler::State::note(const Ended& ended) {
  const auto launched = launches.find(ended.launch);
  if (launched == launches.end()) return;
  Entry& entry = *queue.find(launched->second);
  launches.erase(launched);
  const auto flight = std::ranges::find(entry.flights, ended.launch, &Flight::launch);
  if (trace != nullptr) trace->add(span_of(entry, *flight, ended));
  observe(entry, *flight, ended);
  if (entry.done == 0 && ended.blocks > 0) entry.statistics.started = ended.begin;
  if (entry.done == 0)
    entry.throughout = flight->beside;
  else if (entry.throughout != flight->beside)
    entry.throughout.reset();
  entry.done += ended.blocks;
  if (entry.done == entry.traits->blocks && !ended.error) observe_work(entry, *flight, ended.end);
  observe_in_streams(entry, ended);
  if (ended.blocks < flight->blocks) entry.next_block = flight->first_block + ended.blocks;
  entry.flights.erase(flight);
  if (entry.next) queue.find(*entry.next)->turn = ended.end;
  if (ended.error && ended.error->code() == ErrorCode::device_lost)
    return lose(Error(*ended.error).with_context(entry.traits->name));
  if (ended.error) fail(entry, Error(*ended.error).with_context(entry.traits->name));
  settle(entry);
}

// Removes a work whose last launch has ended, if it is done or has failed. A work that was only stopped waits again.
void Scheduler::State::settle(Entry& entry) {
  if (!entry.flights.empty()) return;
  const WorkId id = entry.id;
  const bool is_over = entry.failure || entry.done == entry.traits->blocks;
  if (!is_over && entry.is_active()) return;
  active.erase(id);
  leave_lane(entry);
  if (is_over) queue.finish(entry, machine.now());
}

void Scheduler::State::fail(Entry& entry, Error error) {
  if (entry.failure) return;
  entry.failure = std::move(error);
  give_time_to_end(entry);
  entry.wanted.reset();
  for (const Flight& flight : entry.flights) machine.stop(flight.launch);
}

void Scheduler::State::give_time_to_end(Entry& entry) {
  entry.drained = machine.now() + options.drain;
  entry.give_up = machine.now() + options.grace;
}

// Returns the moment of the next action on a work. For a failed work this is first the moment by which its blocks
// should be gone, so that others can begin. Later it is the moment when the machine counts as lost.
Nanoseconds Scheduler::State::limit_of(const Entry& entry) const {
  if (!entry.failure) return entry.first_launch + entry.work.limit;
  return machine.now() < entry.drained ? entry.drained : entry.give_up;
}

void Scheduler::State::enforce_limits(Nanoseconds now) {
  const std::vector<WorkId> ids(active.begin(), active.end());
  for (const WorkId id : ids) {
    Entry& entry = *queue.find(id);
    if (entry.flights.empty()) continue;
    if (now >= entry.give_up)
      return lose(Error(ErrorCode::device_lost, fmt::format("{} did not end when it was told to", entry.traits->name))
                      .hint("what it and all others computed is lost; start over with a new machine"));
    if (now >= entry.first_launch + entry.work.limit)
      fail(entry, Error(ErrorCode::timeout, fmt::format("{} runs for longer than its limit of {:.3f} ms",
                                                        entry.traits->name, to_ms(entry.work.limit))));
  }
}

void Scheduler::State::lose(Error error) {
  lost = std::move(error);
  active.clear();
  launches.clear();
  queue.fail_all(*lost);
  governor.restore();
}

Scheduler::Scheduler(Machine& machine, Policy policy, const SchedulerOptions& options, Trace* trace)
    : state_(std::make_unique<State>(machine, std::move(policy), options, trace)) {}
Scheduler::~Scheduler() = default;

Result<std::vector<WorkId>> Scheduler::submit(std::span<const Work> works) {
  if (state_->lost) return *state_->lost;
  WATTUNE_TRY(state_->queue.check(works, state_->machine));
  for (const Work& work : works) {
    state_->meet(work.kernel);
    state_->drop_less_urgent(work.priority);
  }
  return state_->queue.add(works, state_->machine);
}

bool Scheduler::cancel(WorkId work) {
  Entry* entry = state_->queue.find(work);
  if (entry == nullptr) return false;
  state_->fail(*entry, Error(ErrorCode::cancelled, entry->traits->name + " was cancelled"));
  state_->settle(*entry);
  return true;
}

void Scheduler::note(const std::vector<Ended>& ended) {
  state_->account(state_->machine.now());
  for (const Ended& each : ended) state_->note(each);
  if (!state_->streams_meter) return;
  if (state_->launches.empty()) return state_->end_metering();
  const auto [of_first, of_second] = state_->streams_meter->works();
  if (of_first + of_second < kWorksInStreams) return;
  state_->observe_streams();
  state_->streams_meter->restart();
}

Nanoseconds Scheduler::deadline() const {
  Nanoseconds first = kForever;
  for (const WorkId id : state_->active)
    if (const Entry& entry = *state_->queue.find(id); !entry.flights.empty())
      first = std::min(first, state_->limit_of(entry));
  return std::min(first, state_->governor.due().value_or(kForever));
}

bool Scheduler::is_idle() const { return state_->queue.empty(); }
bool Scheduler::is_running() const { return !state_->launches.empty(); }
std::size_t Scheduler::size() const { return state_->queue.size(); }
const std::optional<Error>& Scheduler::clock_refusal() const { return state_->governor.refusal(); }
const std::optional<Error>& Scheduler::lost() const { return state_->lost; }
std::vector<Finished> Scheduler::take_finished() { return state_->queue.take_finished(); }
std::vector<std::pair<KernelId, KernelId>> Scheduler::take_unknown_pairs() {
  return std::exchange(state_->unknown, {});
}
void Scheduler::learn(PairTable table) { state_->table = std::move(table); }
const PairTable& Scheduler::table() const { return state_->table; }

void Scheduler::learn(KernelId first, KernelId second, const PairForecast& forecast) {
  state_->table.learn(first, second, forecast);
}

}  // namespace wattune::schedule
