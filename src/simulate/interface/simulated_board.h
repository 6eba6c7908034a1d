// SimulatedBoard is a board in virtual time. Time passes only when a call lets it pass, and everything is known
// exactly.
//
// The caller owns the board, and one thread at a time uses it. Equal model, seed and calls give equal readings. shown()
// and shown_since() have the lag and the noise of real sensors, which its model describes; all other functions return
// exact values.
//
//   simulate::SimulatedBoard board(*simulate::find_board_model("A100"));
//   board.lock_clock(Megahertz(975));
//   const simulate::Launches flat = board.launch({.cycles = 3.5e6, .phases = {{1.0, {.core = 1.0}}}}, 1000);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/interface/board_model.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::simulate {

// A part of a kernel's time with its own activity.
struct Phase {
  double share = 1.0;  // share of the kernel's time; all shares add up to 1
  Activity activity = {};
};

// A kernel as far as it matters to a board: its time at each clock, and the activity that it causes.
struct Kernel {
  Nanoseconds fixed = {};          // a: time that no graphics clock changes, at the highest memory clock
  double cycles = 0.0;             // b: cycles of the graphics clock
  std::vector<Phase> phases = {};  // at least one

  // Returns the time a + b / f, where a is multiplied by `memory_slowdown`.
  Nanoseconds time_at(Megahertz graphics, double memory_slowdown = 1.0) const;
};

// Time and energy of several launches.
struct Launches {
  Nanoseconds begin;
  Nanoseconds end;
  Joules energy;  // true energy of the whole board
};

// An observer that is called while time passes.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual Nanoseconds due() const = 0;  // Returns the moment of the next call of look().
  virtual void look() = 0;              // Observes the board; called when the board's time has reached due().
};

struct BoardState;

class SimulatedBoard {
 public:
  explicit SimulatedBoard(BoardModel model, std::uint64_t seed = 1);
  // Makes a board with a state that several objects share. The state's owner makes sure that only one object uses it at
  // a time. A state of zeros becomes the state of a new board.
  SimulatedBoard(BoardModel model, BoardState& shared, std::uint64_t seed);
  SimulatedBoard(SimulatedBoard&&) noexcept;
  ~SimulatedBoard();

  const BoardModel& model() const { return model_; }
  Nanoseconds now() const;
  void pass(Nanoseconds time);

  // Runs a load from now on, until idle() is called.
  void set_load(const Activity& activity);
  void idle();
  // Keeps a context open or closes it. An idle board without a context draws less. A launch or a load opens a context.
  void hold_context(bool held);
  // Runs launches one after the other, without a gap, while the board's time passes.
  Launches launch(const Kernel& kernel, std::uint64_t times = 1);

  // Locks the graphics clock to the nearest clock of the table. The board obeys after a latency.
  void lock_clock(Megahertz clock);
  void unlock_clock();
  // Locks the memory clock to the nearest clock of the table, at once. set_limit() takes effect at once, too.
  void lock_memory(Megahertz clock);
  void unlock_memory();
  void set_limit(Watts limit);

  Megahertz clock() const;
  Megahertz memory_clock() const;
  Watts limit() const;
  Watts power() const;
  // Returns the energy since the board was made.
  Joules energy() const;
  Celsius temperature() const;
  // True if the power limit holds the clock down.
  bool capped() const;
  bool at_work() const;

  // Returns the value that the sensor at this place in the model shows: watts, or joules since an unknown earlier time.
  double shown(std::size_t sensor) const;
  // Returns the moment of the publication that the sensor shows.
  Nanoseconds shown_since(std::size_t sensor) const;

  // Injects a fault. These functions lose the board, let a sensor show the same value for ever, or let counters start
  // again from 0.
  void lose();
  bool lost() const;
  void freeze(std::size_t sensor);
  void reset_counters();

  // Registers an observer. The board must outlive the observer, or the observer must be removed before its own end.
  void add(Watcher& watcher);
  void remove(Watcher& watcher);

 private:
  void make();
  Operation operation() const;
  double memory_slowdown() const;
  Watts base() const;
  void request_clock(double megahertz);
  void obey_when_due();
  void settle();
  Nanoseconds next_event() const;
  void meet_events();
  void step(Nanoseconds time);
  void pass_until(Nanoseconds moment);
  void work(const Kernel& kernel, double share);

  BoardModel model_;
  std::unique_ptr<BoardState> own_;
  BoardState* state_;
  std::vector<Watcher*> watchers_;
};

}  // namespace wattune::simulate
