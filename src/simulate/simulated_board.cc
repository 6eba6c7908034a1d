#include "simulate/interface/simulated_board.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/board_state.h"
#include "simulate/leakage.h"

namespace wattune::inline v0_1::simulate {

namespace {

// Longest step of time. In one such step, heating changes the power by less than a ten-thousandth.
constexpr Nanoseconds kLongestStep{100e6};
// Idle time that a new board's sensors have seen before time 0. It is longer than the window of every sensor.
constexpr Nanoseconds kIdleHistory{3e9};

// The temperature after a time, and the energy used in that time, if the power is the linear function `cold` +
// `per_kelvin` * T.
struct Warming {
  double temperature;
  double joules;
};

// Solves T' = (R * P(T) - (T - ambient)) / time exactly. Heat capacity and resistance to the surroundings make an RC
// circuit, and the power is linear in the temperature.
Warming warm(const BoardModel& model, double temperature, double cold, double per_kelvin, double seconds) {
  const double resistance = thermal_resistance(model);
  const double stiffness = 1.0 - resistance * per_kelvin;
  const double rate = stiffness / to_seconds(model.thermal_time);
  const double settled = (model.ambient.value() + resistance * cold) / stiffness;
  const double share = std::exp(-rate * seconds);
  const double steady = cold + per_kelvin * settled;
  const double joules = steady * seconds + per_kelvin * (temperature - settled) * (1.0 - share) / rate;
  return {settled + (temperature - settled) * share, joules};
}

}  // namespace

Nanoseconds Kernel::time_at(Megahertz graphics, double memory_slowdown) const {
  return fixed * memory_slowdown + Nanoseconds(1e3 * cycles / graphics.value());
}

SimulatedBoard::SimulatedBoard(BoardModel model, std::uint64_t seed)
    : model_(std::move(model)), own_(std::make_unique<BoardState>()), state_(own_.get()) {
  state_->seed = seed;
  make();
}

SimulatedBoard::SimulatedBoard(BoardModel model, BoardState& shared, std::uint64_t seed)
    : model_(std::move(model)), state_(&shared) {
  if (state_->made) return;
  state_->seed = seed;
  make();
}

SimulatedBoard::SimulatedBoard(SimulatedBoard&&) noexcept = default;
SimulatedBoard::~SimulatedBoard() = default;

// Makes the state of the board after a long idle time, when heat and cooling are in balance.
void SimulatedBoard::make() {
  const double base = model_.deep_idle.value();
  const double per_kelvin = kLeakagePerKelvin * base;
  const double resistance = thermal_resistance(model_);
  state_->temperature =
      (model_.ambient.value() + resistance * (base - 50.0 * per_kelvin)) / (1.0 - resistance * per_kelvin);
  settle();
  state_->history.append(Nanoseconds(0) - kIdleHistory, Joules(0) - power() * kIdleHistory);
  state_->history.append(Nanoseconds(0), Joules(0));
  const Surroundings board{model_, state_->history, state_->seed};
  for (std::size_t i = 0; i < model_.sensors.size(); ++i)
    state_->sensors[i] = new_sensor(model_.sensors[i], board, i, power());
  state_->made = true;
}

Operation SimulatedBoard::operation() const {
  Operation operation{.memory = memory_clock(), .limit = limit()};
  if (state_->locked > 0.0) operation.graphics = Megahertz(state_->locked);
  return operation;
}

Watts SimulatedBoard::base() const { return at_work() || state_->context ? model_.idle : model_.deep_idle; }

// Sets the clock that follows from load, lock, limit and temperature.
void SimulatedBoard::settle() {
  const Operation asked = operation();
  const Megahertz highest = asked.graphics.value_or(model_.clocks.back());
  state_->capped = false;
  if (!at_work() && !state_->context) {
    state_->clock = asked.graphics.value_or(model_.clocks.front()).value();
    return;
  }
  state_->clock = clock_under_load(model_, asked, state_->activity, temperature()).value();
  state_->capped = Megahertz(state_->clock) < highest;
}

Watts SimulatedBoard::power() const {
  if (!at_work())
    return with_leakage(base(), temperature()) +
           (state_->context ? clocking_power(model_, clock(), memory_clock()) : Watts(0));
  Operation now = operation();
  now.graphics = clock();
  return power_at(model_, now, state_->activity, temperature());
}

// Simulates a short time in which clock and load are constant.
void SimulatedBoard::step(Nanoseconds time) {
  settle();
  const double watts = power().value();
  const bool at_limit = watts >= limit().value();
  const double per_kelvin = at_limit ? 0.0 : kLeakagePerKelvin * base().value();
  const double cold = watts - per_kelvin * state_->temperature;
  const Warming warmed = warm(model_, state_->temperature, cold, per_kelvin, to_seconds(time));
  state_->temperature = warmed.temperature;
  state_->energy += warmed.joules;
  state_->now += time.value();
  state_->history.append(now(), energy());
  const Surroundings board{model_, state_->history, state_->seed};
  for (std::size_t i = 0; i < model_.sensors.size(); ++i)
    publish(state_->sensors[i], model_.sensors[i], board, Joules(warmed.joules) / time, now());
}

// Returns the moment of the next event or observation. The moment is at most kLongestStep away.
Nanoseconds SimulatedBoard::next_event() const {
  Nanoseconds next = now() + kLongestStep;
  if (state_->order_pending) next = std::min(next, Nanoseconds(state_->order_obeyed_at));
  for (const Watcher* const watcher : watchers_) next = std::min(next, watcher->due());
  return std::max(next, now());
}

void SimulatedBoard::meet_events() {
  obey_when_due();
  for (Watcher* const watcher : watchers_)
    if (watcher->due() <= now()) watcher->look();
}

void SimulatedBoard::pass_until(Nanoseconds moment) {
  while (now() < moment) {
    const Nanoseconds next = std::min(moment, next_event());
    if (next > now()) step(next - now());
    meet_events();
  }
}

void SimulatedBoard::pass(Nanoseconds time) { pass_until(now() + time); }

// Runs a share of a kernel's work, at the clocks that the board has during that work.
void SimulatedBoard::work(const Kernel& kernel, double share) {
  while (share > 0.0) {
    settle();
    const Nanoseconds whole = kernel.time_at(clock(), memory_slowdown());
    const Nanoseconds wanted = whole * share;
    const Nanoseconds possible = next_event() - now();
    pass_until(now() + std::min(wanted, possible));
    if (wanted <= possible) return;
    share -= possible / whole;
  }
}

Launches SimulatedBoard::launch(const Kernel& kernel, std::uint64_t times) {
  const Nanoseconds begin = now();
  const Joules before = energy();
  // A kernel with constant activity is launched as one piece of work.
  const bool flat = kernel.phases.size() == 1;
  for (std::uint64_t i = 0; i < (flat ? 1 : times); ++i)
    for (const Phase& phase : kernel.phases) {
      set_load(phase.activity);
      work(kernel, phase.share * (flat ? static_cast<double>(times) : 1.0));
    }
  idle();
  return {begin, now(), energy() - before};
}

}  // namespace wattune::simulate
