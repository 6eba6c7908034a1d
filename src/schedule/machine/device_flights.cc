// Launches of a DeviceMachine: sends them and notices their ends.
#include <algorithm>
#include <chrono>

#include "schedule/machine/carveout.h"
#include "schedule/machine/device_machine_state.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kChunksToEnd = 2.0;  // chunks that a resident block runs until it stops after it was told to

}  // namespace

const DeviceMachine::State::Added* DeviceMachine::State::find(KernelId id) const {
  const std::lock_guard lock(mutex);
  return id < kernels.size() ? &kernels[id] : nullptr;
}

// Sets the carve-out of the kernel's twins. A launch gets the carve-out that its function requests at the moment of
// sending. Machines may share the code, so the code remembers its last request.
Result<void> DeviceMachine::State::divide_memory(const Added& added, const Launch& launch) {
  if (launch.form == Form::whole || added.kernel->code->twins.empty()) return {};
  const Residents alone = launch.form == Form::persistent ? Residents{&added.traits, launch.per_sm}
                                                          : sliced_residents(limits, added.traits, launch.blocks);
  const std::uint64_t bytes = launch.shared_bytes > 0 ? launch.shared_bytes : shared_bytes_of(limits, {&alone, 1});
  for (std::size_t place = 0; place < launches_in(*added.kernel); ++place)
    for (const auto& [form, twin] : launch_at(*added.kernel, place).code->twins)
      WATTUNE_TRY(twin->prefer_local_memory(bytes));
  return {};
}

// Creates the resources of the first launches, so that these do not wait for them.
Result<void> DeviceMachine::State::warm_up() {
  constexpr int kSpare = 2;  // number of spare streams, because two kernels run together
  while (spare.size() < kSpare) {
    WATTUNE_ASSIGN(spare.emplace_back(), device.create_stream({.at_once = true}));
  }
  return progress.warm_up();
}

Result<std::unique_ptr<backend::Stream>> DeviceMachine::State::stream_for(const Launch& launch) {
  if (spare.empty() || launch.priority != 0 || launch.sms.count > 0)
    return device.create_stream({.priority = launch.priority, .units = launch.sms, .at_once = true});
  std::unique_ptr<backend::Stream> stream = std::move(spare.back());
  spare.pop_back();
  return stream;
}

Result<DeviceMachine::State::Lane*> DeviceMachine::State::lane(const Launch& launch) {
  const LaneKey key{launch.lane, launch.priority, launch.sms.first, launch.sms.count};
  if (const auto known = lanes.find(key); known != lanes.end()) return &known->second;
  WATTUNE_ASSIGN(auto stream, stream_for(launch));
  return &lanes.emplace(key, Lane{std::move(stream), {}}).first->second;
}

// Lets a launch of a sequence begin when all launches in other lanes that use its buffers have ended. Otherwise its
// first kernels would change buffers that the last kernels of another work still read.
Result<void> DeviceMachine::State::await_buffers(const Lane& lane, const Flight& flight) {
  if (flight.kernel->then.empty()) return {};
  for (const auto& [key, other] : lanes) {
    if (&other == &lane) continue;
    const auto last = std::ranges::find(other.flights.rbegin(), other.flights.rend(), flight.kernel, &Flight::kernel);
    if (last != other.flights.rend()) WATTUNE_TRY(lane.stream->wait_for(*last->parts.back()));
  }
  return {};
}

Result<std::vector<DevicePart>> DeviceMachine::State::prepare(const Added& added, Flight& flight) {
  if (flight.launch.form != Form::persistent) return parts_of(*flight.kernel, flight.launch);
  WATTUNE_TRY(check_persistent(*flight.kernel));
  Result<std::vector<DevicePart>> parts = prepare_persistent(added, flight);
  if (!parts) give_back_progress(flight);
  return parts;
}

Result<std::vector<DevicePart>> DeviceMachine::State::prepare_persistent(const Added& added, Flight& flight) {
  std::vector<DevicePart> parts;
  for (const LaunchBlocks& blocks : blocks_by_launch(*flight.kernel, flight.launch.first_block, flight.launch.blocks)) {
    const Launch one = with_blocks(flight.launch, blocks);
    const std::uint64_t resident = resident_blocks(one, sms_of(one));
    const Fetching fetching = fetching_of(added.traits, one, limits.sms, resident, options.chunk_time);
    WATTUNE_ASSIGN(const std::size_t slot, progress.take(one.first_block));
    flight.progress.push_back(slot);
    const slice::Progress words = progress.progress(slot, flight.progress.front(), fetching);
    WATTUNE_ASSIGN(parts.emplace_back(), persistent_part(*blocks.launch, one, resident, words));
  }
  return parts;
}

void DeviceMachine::State::give_back_progress(const Flight& flight) {
  for (const std::size_t slot : flight.progress) progress.give_back(slot);
}

// Sends the parts of a launch. If a part is refused, the parts before it run, and the launch fails when they have
// ended.
Result<void> DeviceMachine::State::send(Lane& lane, Flight& flight, std::span<const DevicePart> parts) {
  flight.sent = clock.elapsed();
  flight.turn = flight.sent;
  for (const DevicePart& part : parts) {
    auto event = lane.stream->launch(*part.kernel, part.geometry, part.arguments);
    if (!event && flight.parts.empty()) return std::move(event).error();
    if (!event) {
      flight.failure = std::move(event).error();
      break;
    }
    flight.parts.push_back(*std::move(event));
  }
  return lane.stream->submit();
}

void DeviceMachine::State::stop(Flight& flight) {
  if (flight.progress.empty() || std::exchange(flight.stopped, true)) return;
  // If the device does not take the stop word, the device is lost. The next look at its events will show that.
  static_cast<void>(progress.stop(flight.progress.front()).has_value());
  flight.turn = clock.elapsed();
  flight.expected = kChunksToEnd * options.chunk_time;
}

bool DeviceMachine::State::is_over(Flight& flight) const {
  for (; flight.parts_over < flight.parts.size(); ++flight.parts_over) {
    const Result<bool> ready = flight.parts[flight.parts_over]->ready();
    if (ready && !*ready) return false;
    if (!ready && !flight.failure) flight.failure = ready.error();
  }
  return true;
}

// Returns the number of blocks that ran. A launch that was not stopped has run all blocks; reading its counter would
// cost some microseconds.
Result<std::uint64_t> DeviceMachine::State::blocks_of(const Flight& flight) {
  if (!flight.stopped) return flight.launch.blocks;
  WATTUNE_ASSIGN(const std::vector<std::uint64_t> counters, progress.counters(flight.progress));
  const std::vector<LaunchBlocks> of_sequence =
      blocks_by_launch(*flight.kernel, flight.launch.first_block, flight.launch.blocks);
  std::uint64_t blocks = 0;
  for (std::size_t i = 0; i < of_sequence.size(); ++i)
    blocks += std::min(counters[i] - of_sequence[i].first, of_sequence[i].count);
  return blocks;
}

Ended DeviceMachine::State::end_of(Flight& flight) {
  Ended ended{.launch = flight.id, .begin = flight.sent, .end = clock.elapsed(), .error = flight.failure};
  if (!ended.error) {
    const Result<Nanoseconds> start = flight.parts.front()->start();
    const Result<Nanoseconds> end = flight.parts.back()->end();
    // If the device keeps no times, those of the host are taken.
    if (start && end) {
      const DeviceClock::Times times = device_clock.on_host({*start, *end}, flight.sent, ended.end);
      ended.begin = times.begin;
      ended.end = times.end;
    }
    const Result<std::uint64_t> blocks = blocks_of(flight);
    if (blocks) ended.blocks = *blocks;
    if (!blocks) ended.error = blocks.error();
    watch.learn(flight.launch, ended.end - ended.begin, ended.blocks);
  }
  give_back_progress(flight);
  return ended;
}

// Notes when the next launches have their turn. Whole launches on the same SMs run one after the other, even in
// different lanes. But those of a higher priority do not wait.
void DeviceMachine::State::begin_turns(const Launch& ended, const Lane& of, Nanoseconds end) {
  const auto waited = [&](const Launch& next) {
    return ended.form == Form::whole && next.form == Form::whole && next.sms == ended.sms &&
           next.priority <= ended.priority;
  };
  for (auto& [key, lane] : lanes) {
    if (lane.flights.empty()) continue;
    Flight& next = lane.flights.front();
    if (&lane == &of || waited(next.launch)) next.turn = std::max(next.turn, end);
  }
}

std::vector<Ended> DeviceMachine::State::take_ended() {
  std::vector<Ended> all;
  for (auto& [key, lane] : lanes)
    while (!lane.flights.empty() && is_over(lane.flights.front())) {
      all.push_back(end_of(lane.flights.front()));
      const Launch launch = lane.flights.front().launch;
      lane.flights.pop_front();
      begin_turns(launch, lane, all.back().end);
    }
  const auto lost_one = std::ranges::find_if(
      all, [](const Ended& each) { return each.error && each.error->code() == ErrorCode::device_lost; });
  if (lost_one == all.end()) return all;
  std::ranges::move(lose(*lost_one->error), std::back_inserter(all));
  return all;
}

std::vector<Ended> DeviceMachine::State::lose(const Error& error) {
  lost = error;
  std::vector<Ended> all;
  for (auto& [key, lane] : lanes) {
    for (const Flight& flight : lane.flights)
      all.push_back({.launch = flight.id, .begin = flight.sent, .end = clock.elapsed(), .error = error});
    lane.flights.clear();
  }
  return all;
}

bool DeviceMachine::State::take_wake() {
  const std::lock_guard lock(mutex);
  return std::exchange(woken, false);
}

Nanoseconds DeviceMachine::State::until_next_look() const {
  const Nanoseconds now = clock.elapsed();
  Nanoseconds soonest = kForever;
  for (const auto& [key, lane] : lanes)
    if (!lane.flights.empty())
      soonest = std::min(soonest, EndWatch::pause(now - lane.flights.front().turn, lane.flights.front().expected));
  return soonest;
}

// Sleeps until the next look at running launches, or until wake() if nothing runs. If no pause is wanted, the thread
// does not yield either, because then it might wait for milliseconds on a busy host.
void DeviceMachine::State::pause(Nanoseconds left) {
  const Nanoseconds length = std::min(left, until_next_look());
  if (!(length.value() > 0.0)) return;
  std::unique_lock lock(mutex);
  if (length == kForever) return changed.wait(lock, [this] { return woken; });
  changed.wait_for(lock, std::chrono::duration<double, std::nano>(length.value()), [this] { return woken; });
}

}  // namespace wattune::schedule
