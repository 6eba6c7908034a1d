// SimulatedBoard: a board in virtual time: nothing passes unless it is told so, and everything is known exactly.
//
// The caller owns it; one thread at a time. Equal model, seed and calls give equal readings. The limits, the lag and
// the noise of its sensors are those of its model; what it says of itself here is the truth.
//
//   simulate::SimulatedBoard board(*simulate::find_board_model("A100"));
//   board.lock_clock(Megahertz(975));
//   const simulate::Launches flat = board.launch({.cycles = 3.5e6, .phases = {{1.0, {.core = 1.0}}}}, 1000);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/simulate/board_model.h"

namespace wattune::simulate {

// A part of a kernel's time with its own activity.
struct Phase {
  double share = 1.0;  // of the time; those of a kernel add up to 1
  Activity activity = {};
};

struct Kernel {
  Nanoseconds fixed = {};          // a: what no graphics clock changes, at the highest memory clock
  double cycles = 0.0;             // b
  std::vector<Phase> phases = {};  // one at least

  // t = a + b / f, with a as the memory's clock has it.
  Nanoseconds time_at(Megahertz graphics, double memory_slowdown = 1.0) const;
};

// What launches took.
struct Launches {
  Nanoseconds begin;
  Nanoseconds end;
  Joules energy;  // of the whole board, in truth
};

// Sees time pass.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual Nanoseconds due() const = 0;  // when it wants to look next
  virtual void look() = 0;              // the board's time is no earlier than that
};

struct BoardState;

class SimulatedBoard {
 public:
  explicit SimulatedBoard(BoardModel model, std::uint64_t seed = 1);
  // On a state that others share, whose owner sees to it that one at a time uses it. Of zeros, it is a new board's.
  SimulatedBoard(BoardModel model, BoardState& shared, std::uint64_t seed);
  SimulatedBoard(SimulatedBoard&&) noexcept;
  ~SimulatedBoard();

  const BoardModel& model() const { return model_; }
  Nanoseconds now() const;
  void pass(Nanoseconds time);

  // A load from now on, until it is idle.
  void set_load(const Activity& activity);
  void idle();
  // Without a context an idle board sleeps deeply. A launch and a load make one.
  void hold_context(bool held);
  // One after the other, without a gap; time passes.
  Launches launch(const Kernel& kernel, std::uint64_t times = 1);

  // The nearest clock of the table, obeyed after a latency.
  void lock_clock(Megahertz clock);
  void unlock_clock();
  void lock_memory(Megahertz clock);  // the nearest, at once, as a limit
  void unlock_memory();
  void set_limit(Watts limit);

  Megahertz clock() const;
  Megahertz memory_clock() const;
  Watts limit() const;
  Watts power() const;
  Joules energy() const;  // since it was made
  Celsius temperature() const;
  // The limit holds the clock down.
  bool capped() const;
  bool at_work() const;

  // What the sensor of this place in the model shows: W, or J since some time before.
  double shown(std::size_t sensor) const;
  // Since when.
  Nanoseconds shown_since(std::size_t sensor) const;

  // Faults: it falls off the bus; a sensor shows the same for ever; its counters begin anew.
  void lose();
  bool lost() const;
  void freeze(std::size_t sensor);
  void reset_counters();

  // The board outlives the watcher, or the watcher is removed before its end.
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
