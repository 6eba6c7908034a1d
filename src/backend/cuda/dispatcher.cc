#include "backend/cuda/dispatcher.h"

#include <algorithm>
#include <iterator>

namespace wattune::backend::cuda {

namespace {

// A stream takes about a thousand commands before it makes the host wait. A launch sends three, and one for each
// constant symbol.
constexpr std::size_t kHeldCommands = 128;

void drop(Command& command, const Error& why) {
  if (command.timing) command.timing->dropped = why;
}

bool contains(const auto& lanes, const Lane* lane) { return std::ranges::find(lanes, lane) != lanes.end(); }

}  // namespace

bool Dispatcher::keeps(const Lane& lane) const {
  return backlog_.holds(&lane) || std::ranges::find(left_, &lane, &Entry::stream) != left_.end();
}

Result<void> Dispatcher::submit(Lanes lanes) {
  WATTUNE_TRY(session_->check());
  hand_over(lanes);
  return take_failure(lanes);
}

Result<std::vector<SensorSample>> Dispatcher::finish(Lanes lanes, const Wait& wait) {
  WATTUNE_TRY(session_->check());
  const Polling polling;
  SensorSampler sampler(*session_, wait.sample_every);
  hand_over(lanes);
  WATTUNE_TRY(settle(lanes, polling, wait.limit, &sampler));
  return sampler.finish(clock_);
}

Result<void> Dispatcher::settle(Lanes lanes, const Polling& polling, Nanoseconds limit, SensorSampler* sampler) {
  for (;;) {
    if (sampler != nullptr) sampler->sample_when_due();
    WATTUNE_ASSIGN(const Lane* const busy, find_busy(lanes));
    if (busy == nullptr) break;
    if (polling.elapsed() > limit) {
      session_->abandon();
      return took_too_long(busy->last && busy->last->launches(), limit);
    }
    polling.pause();
    advance();
  }
  for (Lane* const lane : lanes) lane->last.reset();
  return take_failure(lanes);
}

void Dispatcher::hand_over(Lanes lanes) {
  std::ranges::move(backlog_.take(lanes), std::back_inserter(left_));
  advance();
}

void Dispatcher::advance() {
  if (left_.empty()) return;
  (void)clock_.mark();  // renewed, if it has to be, before a stream is held
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

// While the device is at work on what it was sent.
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

// None: all of them have done what was handed over.
Result<Lane*> Dispatcher::find_busy(Lanes lanes) {
  for (Lane* const lane : lanes) {
    if (std::ranges::find(left_, lane, &Entry::stream) != left_.end()) return lane;
    WATTUNE_ASSIGN(const bool idle, is_idle(*lane));
    if (!idle) return lane;
  }
  return nullptr;
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
  std::vector<Entry> gone = backlog_.take_only(&lane);
  const auto mine = std::ranges::stable_partition(left_, [&](const Entry& entry) { return entry.stream != &lane; });
  std::ranges::move(mine, std::back_inserter(gone));
  left_.erase(mine.begin(), mine.end());
  const Error error(ErrorCode::invalid_argument, "the stream of a launch was destroyed before it was handed over");
  for (Entry& entry : gone) drop(entry.command, error);
}

}  // namespace wattune::backend::cuda
