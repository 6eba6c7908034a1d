// Changes settings of a simulated board as a user would, and reads its sensors.
#include <algorithm>

#include "simulate/board_state.h"
#include "simulate/draw.h"
#include "simulate/interface/simulated_board.h"

namespace wattune::inline v0_1::simulate {

Nanoseconds SimulatedBoard::now() const { return Nanoseconds(state_->now); }
Megahertz SimulatedBoard::clock() const { return Megahertz(state_->clock); }
Joules SimulatedBoard::energy() const { return Joules(state_->energy); }
Celsius SimulatedBoard::temperature() const { return Celsius(state_->temperature); }
bool SimulatedBoard::capped() const { return state_->capped; }
bool SimulatedBoard::at_work() const { return state_->loaded; }

Megahertz SimulatedBoard::memory_clock() const {
  return state_->memory_locked > 0.0 ? Megahertz(state_->memory_locked) : model_.memory_clocks.front();
}

Watts SimulatedBoard::limit() const { return state_->limit > 0.0 ? Watts(state_->limit) : model_.limits.usual; }

double SimulatedBoard::memory_slowdown() const { return model_.memory_clocks.front() / memory_clock(); }

void SimulatedBoard::set_load(const Activity& activity) {
  state_->activity = activity;
  state_->loaded = true;
  state_->context = true;
  settle();
}

void SimulatedBoard::idle() {
  state_->activity = {};
  state_->loaded = false;
  settle();
}

void SimulatedBoard::hold_context(bool held) {
  state_->context = held;
  settle();
}

// Requests that the clock is locked; 0 requests that it is unlocked. The board obeys after a latency.
void SimulatedBoard::request_clock(double megahertz) {
  Random random = draws_of(state_->seed, 1000 + ++state_->orders);
  const Nanoseconds spread = model_.most_lock_latency - model_.least_lock_latency;
  state_->ordered = megahertz;
  state_->order_obeyed_at = (now() + model_.least_lock_latency + spread * random.uniform()).value();
  state_->order_pending = true;
  obey_when_due();
}

void SimulatedBoard::obey_when_due() {
  if (!state_->order_pending || state_->order_obeyed_at > state_->now) return;
  state_->locked = state_->ordered;
  state_->order_pending = false;
  settle();
}

void SimulatedBoard::lock_clock(Megahertz clock) { request_clock(nearest_clock(model_.clocks, clock).value()); }
void SimulatedBoard::unlock_clock() { request_clock(0.0); }

void SimulatedBoard::lock_memory(Megahertz clock) {
  state_->memory_locked = nearest_clock(model_.memory_clocks, clock).value();
  settle();
}

void SimulatedBoard::unlock_memory() {
  state_->memory_locked = 0.0;
  settle();
}

void SimulatedBoard::set_limit(Watts limit) {
  state_->limit = limit.value();
  settle();
}

double SimulatedBoard::shown(std::size_t sensor) const {
  const SensorState& state = state_->sensors[sensor];
  return state.shown - state.origin;
}

Nanoseconds SimulatedBoard::shown_since(std::size_t sensor) const {
  return Nanoseconds(state_->sensors[sensor].published);
}

void SimulatedBoard::lose() { state_->lost = true; }
bool SimulatedBoard::lost() const { return state_->lost; }
void SimulatedBoard::freeze(std::size_t sensor) { state_->sensors[sensor].frozen = true; }

void SimulatedBoard::reset_counters() {
  for (std::size_t i = 0; i < model_.sensors.size(); ++i)
    if (model_.sensors[i].kind == SensorKind::energy) state_->sensors[i].origin = state_->sensors[i].shown;
}

void SimulatedBoard::add(Watcher& watcher) { watchers_.push_back(&watcher); }
void SimulatedBoard::remove(Watcher& watcher) { std::erase(watchers_, &watcher); }

}  // namespace wattune::simulate
