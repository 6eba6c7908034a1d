#include "backend/cuda/dispatcher.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace wattune::inline v0_1::backend::cuda {

namespace {

// The largest number of commands that are sent while streams are held. A stream takes about a thousand before it blocks
// the host. A launch needs three commands, and one more for each constant symbol.
constexpr std::size_t kHeldCommands = 128;

constexpr const char* kWaiting = "waiting for another stream";

void drop(Command& command, const Error& why) {
  if (command.timing) command.timing->dropped = why;
}

bool contains(const auto& lanes, const Lane* lane) { return std::ranges::find(lanes, lane) != lanes.end(); }

}  // namespace

Result<void> Dispatcher::give(Lane& lane, Command command) {
  WATTUNE_TRY(session_->check());
  if (lane.at_once) return send_at_once(command);
  const std::lock_guard lock(mutex_);
  backlog_.add({.stream = &lane, .command = std::move(command)});
  return {};
}

// Sends a command without the lock, because a transfer may block here and other threads must not wait meanwhile.
Result<void> Dispatcher::send_at_once(const Command& command) {
  WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
  if (command.timing) {
    const std::lock_guard lock(mutex_);
    WATTUNE_ASSIGN(command.timing->mark, clock_.mark());
  }
  if (const CUresult code = command.run(); code != CUDA_SUCCESS) return session_->failure(code, command.doing);
  return {};
}

Result<void> Dispatcher::wait_for(Lane& lane, const std::shared_ptr<const Timing>& awaited) {
  WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
  const std::lock_guard lock(mutex_);
  if (awaited->dropped) return *awaited->dropped;
  if (lane.at_once) return wait_at_once(lane, *awaited);
  const auto run = [this, stream = lane.stream.get(), end = awaited->end.get()] {
    return session_->cu().cuStreamWaitEvent(stream, end, 0);
  };
  backlog_.add(
      {.stream = &lane,
       .awaited = awaited->recorded ? nullptr : awaited->lane,
       .command = {.doing = kWaiting, .kind = Command::Kind::wait, .run = run, .timing = {}, .awaited = awaited}});
  return {};
}

Result<void> Dispatcher::wait_at_once(Lane& lane, const Timing& awaited) {
  if (!awaited.recorded) hand_over(std::array{awaited.lane});
  if (awaited.dropped) return *awaited.dropped;
  if (!awaited.recorded)
    return Error(ErrorCode::invalid_argument,
                 "a stream that sends at once cannot wait for a launch that is behind a transfer")
        .hint("finish the stream of that launch first, or ask its event until it is ready");
  const CUresult code = session_->cu().cuStreamWaitEvent(lane.stream.get(), awaited.end.get(), 0);
  return code == CUDA_SUCCESS ? Result<void>() : session_->failure(code, kWaiting);
}

bool Dispatcher::keeps(const Lane& lane) const {
  const std::lock_guard lock(mutex_);
  return backlog_.holds(&lane) || std::ranges::find(left_, &lane, &Entry::stream) != left_.end();
}

Result<void> Dispatcher::submit(Lanes lanes) {
  WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
  const std::lock_guard lock(mutex_);
  hand_over(lanes);
  return take_failure(lanes);
}

Result<std::vector<SensorSample>> Dispatcher::finish(Lanes lanes, const Wait& wait) {
  WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
  const Polling polling;
  SensorSampler sampler(*session_, wait.sample_every);
  {
    const std::lock_guard lock(mutex_);
    hand_over(lanes);
  }
  WATTUNE_TRY(settle(lanes, polling, wait.limit, &sampler));
  const std::lock_guard lock(mutex_);
  return sampler.finish(clock_);
}

Result<void> Dispatcher::settle(Lanes lanes, const Polling& polling, Nanoseconds limit, SensorSampler* sampler) {
  for (;; polling.pause()) {
    if (sampler != nullptr) sampler->sample_when_due();
    const std::lock_guard lock(mutex_);
    WATTUNE_ASSIGN(const Lane* const busy, find_busy(lanes));
    if (busy == nullptr) break;
    if (polling.elapsed() > limit) {
      session_->abandon();
      Error error = took_too_long(busy->last && busy->last->launches(), limit);
      drop_left(lanes, error);
      return error;
    }
    advance();
  }
  const std::lock_guard lock(mutex_);
  for (Lane* const lane : lanes) lane->last.reset();
  return take_failure(lanes);
}

Result<bool> Dispatcher::has_sent(const Timing& timing) {
  const std::lock_guard lock(mutex_);
  advance();
  if (timing.dropped) return *timing.dropped;
  return timing.recorded;
}

Result<Nanoseconds> Dispatcher::start_of(const Timing& timing) {
  WATTUNE_ASSIGN(const bool sent, has_sent(timing));
  if (!sent) return Error(ErrorCode::invalid_argument, "the launch has not finished");
  const std::lock_guard lock(mutex_);
  return timing.mark->moment_of(timing.start.get());
}

Conditions Dispatcher::conditions_of(const Timing& timing) const {
  const std::lock_guard lock(mutex_);
  return timing.conditions;
}

void Dispatcher::hand_over(Lanes lanes) {
  std::ranges::move(backlog_.take(lanes), std::back_inserter(left_));
  advance();
}

void Dispatcher::advance() {
  if (left_.empty()) return;
  (void)clock_.mark();  // makes a new mark before a stream is held, if the last mark is old
  std::vector<const Lane*> waiting;
  std::vector<Entry> left;
  for (Entry& entry : left_) {
    if (!contains(waiting, entry.stream) && try_send(*entry.stream, entry.command)) continue;
    waiting.push_back(entry.stream);
    left.push_back(std::move(entry));
  }
  left_ = std::move(left);
  let_go();
  if (left_.empty()) read_conditions();
}

bool Dispatcher::try_send(Lane& lane, Command& command) {
  if (!lane.failure) {
    const Result<bool> turn = has_turn(lane, command);
    if (turn && !*turn) return false;
    const Result<void> sent = turn ? send(lane, command) : Result<void>(turn.error());
    if (sent) return true;
    lane.failure = sent.error();
  }
  drop(command, *lane.failure);
  return true;
}

Result<bool> Dispatcher::has_turn(Lane& lane, const Command& command) {
  if (command.awaited && command.awaited->dropped) return *command.awaited->dropped;
  if (command.awaited) return command.awaited->recorded;
  if (command.kind != Command::Kind::transfer) return true;
  let_go();
  return is_idle(lane);
}

Result<void> Dispatcher::send(Lane& lane, Command& command) {
  if (command.kind == Command::Kind::first_launch) let_go();
  if (command.timing) {
    WATTUNE_ASSIGN(command.timing->mark, clock_.mark());
  }
  if (command.kind == Command::Kind::launch) {
    lane.hold.take();
    if (!contains(held_, &lane)) held_.push_back(&lane);
  }
  if (const CUresult code = command.run(); code != CUDA_SUCCESS) return session_->failure(code, command.doing);
  if (command.timing) unread_.push_back(command.timing);
  lane.last = std::move(command);
  if (++sent_ == kHeldCommands) let_go();
  return {};
}

void Dispatcher::let_go() {
  for (Lane* const lane : held_) lane->hold.let_go();
  held_.clear();
  sent_ = 0;
}

// Reads the conditions while the device works on the commands that were sent.
void Dispatcher::read_conditions() {
  if (unread_.empty()) return;
  const Conditions conditions = session_->sensors().conditions();
  for (const std::shared_ptr<Timing>& timing : unread_) timing->conditions = conditions;
  unread_.clear();
}

Result<bool> Dispatcher::is_idle(Lane& lane) {
  const CUresult code = session_->cu().cuStreamQuery(lane.stream.get());
  if (code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_READY) return code == CUDA_SUCCESS;
  return session_->failure(code, lane.last ? lane.last->doing : "waiting for the device");
}

// Returns a stream that has requested commands (by submit() or finish()) and these have not ended; nullptr if there is
// no such stream.
Result<Lane*> Dispatcher::find_busy(Lanes lanes) {
  for (Lane* const lane : lanes) {
    if (std::ranges::find(left_, lane, &Entry::stream) != left_.end()) return lane;
    WATTUNE_ASSIGN(const bool idle, is_idle(*lane));
    if (!idle) return lane;
  }
  return nullptr;
}

// Drops the commands that were not sent: after a timeout the caller may free the memory that they use.
void Dispatcher::drop_left(Lanes lanes, const Error& why) {
  std::erase_if(left_, [&](Entry& entry) {
    if (!contains(lanes, entry.stream)) return false;
    drop(entry.command, why);
    return true;
  });
}

Result<void> Dispatcher::take_failure(Lanes lanes) {
  std::optional<Error> first;
  for (Lane* const lane : lanes) {
    std::optional<Error> failure = std::exchange(lane->failure, std::nullopt);
    if (!first) first = std::move(failure);
  }
  return first ? Result<void>(*std::move(first)) : Result<void>();
}

Result<std::vector<Command>> Dispatcher::take(Lane& lane) {
  const Error error(ErrorCode::invalid_argument, "commands that wait for another stream cannot be counted");
  const std::lock_guard lock(mutex_);
  std::vector<Command> commands;
  bool alone = true;
  for (Entry& entry : backlog_.take_only(&lane)) {
    alone &= !entry.command.awaited;
    commands.push_back(std::move(entry.command));
  }
  if (alone) return commands;
  for (Command& command : commands) drop(command, error);
  return error;
}

void Dispatcher::forget(Lane& lane) {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> gone = backlog_.take_only(&lane);
  const auto mine =
      std::stable_partition(left_.begin(), left_.end(), [&](const Entry& entry) { return entry.stream != &lane; });
  std::move(mine, left_.end(), std::back_inserter(gone));
  left_.erase(mine, left_.end());
  const Error error(ErrorCode::invalid_argument, "the stream of a launch was destroyed before it was handed over");
  for (Entry& entry : gone) drop(entry.command, error);
}

}  // namespace wattune::backend::cuda
