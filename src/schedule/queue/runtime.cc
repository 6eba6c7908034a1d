#include "schedule/interface/runtime.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

Error runtime_refuses(ErrorCode code, std::string what) { return Error(code, std::move(what)).with_context("runtime"); }

}  // namespace

struct Runtime::State {
  State(std::unique_ptr<Machine> on, RuntimeOptions how)
      : machine(std::move(on)),
        options(std::move(how)),
        trace(options.trace_events),
        scheduler(*machine, options.policy, options.scheduler, options.trace_events > 0 ? &trace : nullptr) {}

  std::unique_ptr<Machine> machine;
  RuntimeOptions options;
  std::mutex shutdown_mutex;  // held by the thread that joins the others

  mutable std::mutex mutex;         // guards all members below; the machine is used only by the driving thread
  std::condition_variable changed;  // wakes the thread that drives the scheduler
  std::condition_variable room;     // wakes threads that submit works
  std::condition_variable pairs;    // wakes the thread that forecasts pairs
  Trace trace;
  Scheduler scheduler;
  std::map<WorkId, std::promise<Result<WorkStatistics>>> promises;  // promises for the works that have not ended
  std::vector<WorkId> to_cancel;
  std::deque<std::pair<KernelId, KernelId>> to_forecast;
  bool has_news = false;  // true if another thread has changed the state
  std::optional<Shutdown> closing;
  RuntimeStatistics done;

  std::thread driver;
  std::thread forecasts;

  Result<void> wait_for_room(std::unique_lock<std::mutex>& lock, std::size_t works);
  void tell_driver();
  void wait_for_news(std::unique_lock<std::mutex>& lock);
  void drive();
  void cancel_what_was_asked();
  void decide();
  void start_if_idle();
  void deliver();
  void forecast();
};

// Wakes the thread that drives the scheduler. Precondition, as for all functions below: the lock is held.
void Runtime::State::tell_driver() {
  has_news = true;
  changed.notify_one();
  machine->wake();
}

Result<void> Runtime::State::wait_for_room(std::unique_lock<std::mutex>& lock, std::size_t works) {
  const auto has_room = [&] { return closing || promises.size() + works <= options.most_works; };
  if (works > options.most_works)
    return runtime_refuses(ErrorCode::invalid_argument, "these works are more than it ever holds at once")
        .about(std::to_string(works))
        .hint("submit fewer, or raise most_works");
  if (!has_room() && options.when_full == WhenFull::refuse)
    return runtime_refuses(ErrorCode::busy, "it has no room for more works")
        .about(std::to_string(promises.size()))
        .hint("wait for some of them, or let submit() wait");
  room.wait(lock, has_room);
  if (closing)
    return runtime_refuses(ErrorCode::unavailable, "it was shut down and takes no more works")
        .hint("make another runtime");
  return {};
}

void Runtime::State::cancel_what_was_asked() {
  if (closing == Shutdown::cancel)
    for (const auto& [work, promise] : promises) to_cancel.push_back(work);
  for (const WorkId work : std::exchange(to_cancel, {})) scheduler.cancel(work);
}

void Runtime::State::decide() {
  cancel_what_was_asked();
  scheduler.dispatch();
}

// Decides and launches in the submitting thread if nothing runs, since waking the scheduler's thread takes longer than
// all other steps to a launch. That thread releases the lock only while something runs, so nobody else calls the
// machine here.
void Runtime::State::start_if_idle() {
  if (!scheduler.is_running()) decide();
}

void Runtime::State::deliver() {
  for (Finished& finished : scheduler.take_finished()) {
    ++(finished.result ? done.succeeded : done.failed);
    auto promise = promises.extract(finished.work);
    promise.mapped().set_value(std::move(finished.result));
  }
  room.notify_all();
}

// Waits until there is something to do. Clocks that are held need a sign of life even if nothing runs.
void Runtime::State::wait_for_news(std::unique_lock<std::mutex>& lock) {
  const auto is_awake = [&] { return has_news || scheduler.is_running() || (closing && scheduler.is_idle()); };
  const Nanoseconds deadline = scheduler.deadline();
  if (deadline < kForever)
    changed.wait_for(lock, std::chrono::duration<double, std::nano>((deadline - machine->now()).value()), is_awake);
  else
    changed.wait(lock, is_awake);
}

// Drives the scheduler. The machine is called without the lock, so that other threads can submit meanwhile.
void Runtime::State::drive() {
  std::unique_lock lock(mutex);
  for (;;) {
    wait_for_news(lock);
    if (closing && scheduler.is_idle()) return;
    has_news = false;
    decide();
    deliver();
    if (!scheduler.is_running()) continue;
    const Nanoseconds deadline = scheduler.deadline();
    lock.unlock();
    const std::vector<Ended> ended = machine->wait(deadline);
    lock.lock();
    scheduler.note(ended);
    has_news = true;
    deliver();
  }
}

// Forecasts pairs as they come. A pair runs together only after its forecast, and never if the forecast fails.
void Runtime::State::forecast() {
  std::unique_lock lock(mutex);
  for (;;) {
    pairs.wait(lock, [&] { return closing || !to_forecast.empty(); });
    if (closing) return;
    const auto [first, second] = to_forecast.front();
    to_forecast.pop_front();
    lock.unlock();
    const auto pair = options.forecaster(*machine->kernel(first), *machine->kernel(second));
    lock.lock();
    scheduler.learn(first, second, pair ? *pair : PairForecast{});
    tell_driver();
  }
}

bool Ticket::is_done() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

std::optional<Result<WorkStatistics>> Ticket::wait_for(std::chrono::nanoseconds time) const {
  if (result_.wait_for(time) != std::future_status::ready) return std::nullopt;
  return result_.get();
}

Runtime::Runtime(std::unique_ptr<Machine> machine, RuntimeOptions options)
    : state_(std::make_unique<State>(std::move(machine), std::move(options))) {
  state_->driver = std::thread([state = state_.get()] { state->drive(); });
  if (state_->options.forecaster) state_->forecasts = std::thread([state = state_.get()] { state->forecast(); });
}

Runtime::~Runtime() { shutdown(Shutdown::cancel); }

Result<std::vector<Ticket>> Runtime::submit(std::span<const Work> works) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  WATTUNE_TRY(state.wait_for_room(lock, works.size()));
  WATTUNE_ASSIGN(const auto ids, state.scheduler.submit(works));
  state.start_if_idle();  // comes first, so that no other step delays a launch; the thread waits for the lock
  std::vector<Ticket> tickets;
  for (const WorkId id : ids) tickets.push_back({id, state.promises[id].get_future().share()});
  for (const auto& pair : state.scheduler.take_unknown_pairs()) state.to_forecast.push_back(pair);
  if (!state.to_forecast.empty()) state.pairs.notify_one();
  state.tell_driver();
  return tickets;
}

Result<Ticket> Runtime::submit(const Work& work) {
  WATTUNE_ASSIGN(const auto tickets, submit(std::span(&work, 1)));
  return tickets.front();
}

bool Runtime::cancel(const Ticket& ticket) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->promises.contains(ticket.id())) return false;
  state_->to_cancel.push_back(ticket.id());
  state_->tell_driver();
  return true;
}

void Runtime::shutdown(Shutdown how) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    if (state.closing != Shutdown::cancel) state.closing = how;
    state.tell_driver();
    state.room.notify_all();
    state.pairs.notify_all();
  }
  const std::lock_guard one_at_a_time(state.shutdown_mutex);
  if (state.driver.joinable()) state.driver.join();
  if (state.forecasts.joinable()) state.forecasts.join();
}

RuntimeStatistics Runtime::statistics() const {
  const std::lock_guard lock(state_->mutex);
  RuntimeStatistics statistics = state_->done;
  statistics.waiting = state_->promises.size();
  return statistics;
}

std::optional<Error> Runtime::lost() const {
  const std::lock_guard lock(state_->mutex);
  return state_->scheduler.lost();
}

PairTable Runtime::pairs() const {
  const std::lock_guard lock(state_->mutex);
  return state_->scheduler.table();
}

std::string Runtime::trace_json() const {
  const std::lock_guard lock(state_->mutex);
  return state_->trace.json();
}

const Machine& Runtime::machine() const { return *state_->machine; }

}  // namespace wattune::schedule
